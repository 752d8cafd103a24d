"""A toy law of friction, tread(mu1, mu2): coefficients along and across, as those of a tyre. These are the changes that
docs/adding.md asks for, each behind a text that stands once in its file (tests/house looks); ./run builds it.
"""
import re

# (file, text, what takes its place); \0: the text itself
EDITS = [
    ("runtime/shared/laws.def", """    "-y in N_D(lambda), D: |lambda_T| <= mu force, |lambda_R| <= mu_r force")
""", """\0LAW(TREAD, TREAD, "tread", "tread(mu1, mu2)", "mu2", 0, 0,
    "-y in N_D(lambda_T), D: (lambda_1/mu1)^2 + (lambda_2/mu2)^2 <= lambda_N^2",
    "-y in N_D(lambda_T), D: (lambda_1/mu1)^2 + (lambda_2/mu2)^2 <= force^2")
"""),
    ("runtime/shared/laws.def", "BLOCK(ROLLING, 11,", "BLOCK(TREAD, 14, \"tread\", 1, 1 << 3, 1, 1, 0, 1, 0, MU2)\n\0"),
    ("runtime/nsm_abi.h", "  NSM_ROLLING = 9 ", "  NSM_TREAD = 10,\n\0"),
    ("runtime/nsm_abi.h", re.compile(r"(#define NSM_ABI_VERSION )(\d+)"), lambda m: f"{m[1]}{int(m[2]) + 1}"),
    ("runtime/cone/residual_rows.h", "  if (b->type == NSM_CONE_ELLIPTIC) {",
     "  if (b->type == NSM_CONE_ELLIPTIC || b->type == NSM_CONE_TREAD) {"),
    ("compiler/model/elab_friction.c", "law_arguments(env, law, contensou || rolling ? 2",
     "law_arguments(env, law, contensou || rolling || is_law(law, \"tread\") ? 2"),
    ("compiler/model/elab_friction.c", "           : law->list.n == 2          ? MF_ELLIPTIC\n",
     "           : is_law(law, \"tread\")      ? MF_TREAD\n\0"),
    ("compiler/syntax/vocabulary.def", "SAY(\"contensou\", LAW,",
     "SAY(\"tread\", LAW, \"tread(mu1, mu2): dry friction along and across\", NULL)\n\0"),
    ("docs/language.md", "**12.9** `coulomb(mu1, mu2)` has", "**12.9** `coulomb(mu1, mu2)`, or `tread(mu1, mu2)`, has"),
    ("docs/numerics/cone.md", "- ELLIPTIC: n,t1,t2;", "- TREAD: as ELLIPTIC\n\0"),
    ("docs/problems.md", "| `elliptic` | `mu`, `mu2` |", "| `tread` | `mu`, `mu2` | the set of `elliptic` |\n\0"),
    ("tests/cone/all_blocks.json", """    {"type": "elliptic",""", """    {"type": "tread","""),
    ("tests/cone/run", """    size = {"elliptic": 3,""", """\0 "tread": 3,"""),
    ("tests/cone/run", """    if kind == "elliptic":""", """    if kind in ("elliptic", "tread"):"""),
]
FILES = sorted({file for file, _, _ in EDITS})


def edited(file, text):
    """The text of a file with its changes; a ValueError where the place of one is gone."""
    for of, place, then in EDITS:
        if of != file:
            continue
        found = len(place.findall(text)) if isinstance(place, re.Pattern) else text.count(place)
        if found != 1:
            raise ValueError(f"{file}: the place of a toy law stands {found} times: {place}")
        is_pattern = isinstance(place, re.Pattern)
        text = place.sub(then, text) if is_pattern else text.replace(place, then.replace("\0", place))
    return text
