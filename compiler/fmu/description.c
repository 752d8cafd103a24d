// modelDescription.xml of both versions. They say the same of a variable in different words: FMI 2.0 has scalars that
// are known by their place in the list, FMI 3.0 has arrays that are known by their references.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "fmu.h"
#include "runtime/fmi/exchange.h"

// ---- variables ------------------------------------------------------------------------------------------------------
typedef struct Role { const char *causality, *variability, *initial; bool start; } Role;

static Role role_of(const fmi_variable *v) {
  static const Role column[] = {
    [NSM_COLUMN_TIME] = { "independent", "continuous", NULL, false },
    [NSM_COLUMN_STATE] = { "local", "continuous", "exact", true },
    [NSM_COLUMN_REACTION] = { "local", "continuous", "calculated", false },
    [NSM_COLUMN_DISCRETE] = { "local", "discrete", "exact", true },
    [NSM_COLUMN_OUTPUT] = { "output", "continuous", "calculated", false },
    [NSM_COLUMN_ENERGY] = { "local", "continuous", "calculated", false } };
  static const Role input = { "input", "continuous", NULL, true },
                    fixed = { "local", "constant", "exact", true },
                    tunable = { "parameter", "tunable", "exact", true },
                    derivative = { "local", "continuous", "calculated", false };
  if (v->reference >= FMI_DERIVATIVE) return derivative;
  if (v->reference >= FMI_INPUT) return input;
  if (v->reference >= FMI_PARAMETER) return v->structural ? fixed : tunable;
  return column[v->column];
}

static double start_of(const Fmu *f, uint32_t reference) {
  int i = (int)(reference & FMI_NUMBER);
  if (reference >= FMI_INPUT) {
    double x = nsm_get_input(f->sim, i);
    return isnan(x) ? f->input[i] : x;
  }
  if (reference >= FMI_PARAMETER) return nsm_get_parameter(f->sim, nsm_parameter_at(f->program, i).name);
  return nsm_read_column(f->sim, i);
}

static void start_values(const Fmu *f, const fmi_variable *v, Text *out) {
  text_add(out, " start=\"");
  for (int i = 0; i < v->count; i++) {
    if (i > 0) text_addc(out, ' ');
    xml_number(out, start_of(f, v->reference + (uint32_t)i));
  }
  text_addc(out, '"');
}

// An element of an array has the description of the array.
static const char *described(const Fmu *f, const fmi_variable *v) {
  if (*v->doc) return v->doc;
  int i = (int)(v->reference & FMI_NUMBER);
  if (v->reference < FMI_PARAMETER) return nsm_meaning_of(f->program, nsm_column_name(f->sim, i)).doc;
  return v->reference < FMI_INPUT ? "" : nsm_meaning_of(f->program, nsm_input_name(f->sim, i)).doc;
}

static void attributes(const Fmu *f, const fmi_variable *v, Text *out) {
  Role r = role_of(v);
  const char *doc = described(f, v);
  xml_attribute(out, "name", v->name);
  text_printf(out, " valueReference=\"%u\"", (unsigned)v->reference);
  if (*doc) xml_attribute(out, "description", doc);
  text_printf(out, " causality=\"%s\" variability=\"%s\"", r.causality, r.variability);
  if (r.initial) text_printf(out, " initial=\"%s\"", r.initial);
}

static void unit_and_start(Arena *a, const Fmu *f, const fmi_variable *v, Text *out) {
  UnitOf u = fmu_unit(a, v->unit);
  if (*u.name) xml_attribute(out, "unit", u.name);
  if (u.display) xml_attribute(out, "displayUnit", u.display);
  if (role_of(v).start) start_values(f, v, out);
}

// Of the derivative of a state: the state, by its place in the list, or by its reference.
static void derivative_of(const Fmu *f, const fmi_variable *all, const fmi_variable *v, Text *out) {
  if (v->reference < FMI_DERIVATIVE) return;
  uint32_t state = (v->reference & FMI_NUMBER) + 1;
  const fmi_variable *of = all;
  while (of->reference != state) of++;
  text_printf(out, " derivative=\"%u\"", f->version == 3 ? (unsigned)state : (unsigned)(of - all) + 1);
}

static void variable2(Arena *a, const Fmu *f, const fmi_variable *all, const fmi_variable *v, Text *out) {
  text_add(out, "    <ScalarVariable");
  attributes(f, v, out);
  text_add(out, "><Real");
  unit_and_start(a, f, v, out);
  derivative_of(f, all, v, out);
  text_add(out, "/></ScalarVariable>\n");
}

static void variable3(Arena *a, const Fmu *f, const fmi_variable *all, const fmi_variable *v, Text *out) {
  text_add(out, "    <Float64");
  attributes(f, v, out);
  unit_and_start(a, f, v, out);
  derivative_of(f, all, v, out);
  if (v->ndim == 0) { text_add(out, "/>\n"); return; }
  text_add(out, ">");
  for (int k = 0; k < v->ndim; k++) text_printf(out, "<Dimension start=\"%d\"/>", v->dim[k]);
  text_add(out, "</Float64>\n");
}

static bool is_output_of_fmu(const fmi_variable *v) { return !strcmp(role_of(v).causality, "output"); }
static bool is_derivative(const fmi_variable *v) { return v->reference >= FMI_DERIVATIVE; }
static bool is_calculated(const fmi_variable *v) { return is_output_of_fmu(v) || is_derivative(v); }

// The lists of the structure: what they are called in each version, and what stands in them.
static const struct { const char *name2, *name3; bool (*has)(const fmi_variable *); } lists[] = {
  { "Outputs", "Output", is_output_of_fmu }, { "Derivatives", "ContinuousStateDerivative", is_derivative },
  { "InitialUnknowns", "InitialUnknown", is_calculated } };

static void structure(const Fmu *f, const fmi_variable *v, int n, Text *out) {
  text_add(out, "  <ModelStructure>\n");
  for (int k = 0; k < 3; k++) {
    bool any = false;
    for (int i = 0; i < n; i++) {
      if (!lists[k].has(&v[i])) continue;
      if (!any && f->version == 2) text_printf(out, "    <%s>\n", lists[k].name2);
      any = true;
      if (f->version == 2) text_printf(out, "      <Unknown index=\"%d\"/>\n", i + 1);
      else text_printf(out, "    <%s valueReference=\"%u\"/>\n", lists[k].name3, (unsigned)v[i].reference);
    }
    if (any && f->version == 2) text_printf(out, "    </%s>\n", lists[k].name2);
  }
  text_add(out, "  </ModelStructure>\n");
}

// ---- the whole ------------------------------------------------------------------------------------------------------
static const char *kind_of(const Fmu *f) { return f->exchange ? "ModelExchange" : "CoSimulation"; }

static void head2(const Fmu *f, Text *out) {
  text_add(out, "<fmiModelDescription fmiVersion=\"2.0\"");
  xml_attribute(out, "modelName", f->name);
  xml_attribute(out, "guid", f->token);
  text_printf(out, " generationTool=\"nsm %s\" variableNamingConvention=\"flat\">\n", nsm_version());
  text_printf(out, "  <%s", kind_of(f));
  xml_attribute(out, "modelIdentifier", f->name);
  if (!f->exchange) text_add(out, " canHandleVariableCommunicationStepSize=\"true\"");
  if (fmi_has_derivatives(f->sim)) text_add(out, " providesDirectionalDerivative=\"true\"");
  text_add(out, " canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\""
                " canNotUseMemoryManagementFunctions=\"true\">\n    <SourceFiles>\n");
  for (int i = 0; i < f->nsource; i++) {
    text_add(out, "      <File");
    xml_attribute(out, "name", f->source[i]);
    text_add(out, "/>\n");
  }
  text_printf(out, "    </SourceFiles>\n  </%s>\n", kind_of(f));
}

static void head3(const Fmu *f, Text *out) {
  text_add(out, "<fmiModelDescription fmiVersion=\"3.0\"");
  xml_attribute(out, "modelName", f->name);
  xml_attribute(out, "instantiationToken", f->token);
  text_printf(out, " generationTool=\"nsm %s\" variableNamingConvention=\"flat\">\n", nsm_version());
  text_printf(out, "  <%s", kind_of(f));
  xml_attribute(out, "modelIdentifier", f->name);
  text_add(out, " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\"");
  if (fmi_has_derivatives(f->sim))
    text_add(out, " providesDirectionalDerivatives=\"true\" providesAdjointDerivatives=\"true\"");
  text_add(out, f->exchange ? " needsCompletedIntegratorStep=\"true\"/>\n"
                            : " canHandleVariableCommunicationStepSize=\"true\" mightReturnEarlyFromDoStep=\"true\""
                              " hasEventMode=\"true\"/>\n");
}

static void categories(const Fmu *f, Text *out) {
  static const char *const name[2][3] = { { "logStatusError", "logStatusDiscard", NULL },
                                          { "error", "discard", "event" } };
  text_add(out, "  <LogCategories>\n");
  for (int i = 0; i < 3; i++)
    if (name[f->version - 2][i]) text_printf(out, "    <Category name=\"%s\"/>\n", name[f->version - 2][i]);
  text_add(out, "  </LogCategories>\n");
}

static void experiment(const Fmu *f, Text *out) {
  long n = nsm_steps_total(f->sim);
  const double of[] = { nsm_time_of_step(f->sim, 0), nsm_time_of_step(f->sim, n),
                        nsm_time_of_step(f->sim, 1) - nsm_time_of_step(f->sim, 0) };
  static const char *const name[] = { "startTime", "stopTime", "stepSize" };
  text_add(out, "  <DefaultExperiment");
  for (int i = 0; i < 3; i++) {
    text_printf(out, " %s=\"", name[i]);
    xml_number(out, of[i]);
    text_addc(out, '"');
  }
  text_add(out, "/>\n");
}

void fmu_description(Arena *a, const Fmu *f, Text *out) {
  int n;
  fmi_variable *v = fmi_variables(jit_model(f->program->jit), f->sim, f->version == 3, &n);
  text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  (f->version == 3 ? head3 : head2)(f, out);
  fmu_units(a, v, n, out);
  categories(f, out);
  experiment(f, out);
  text_add(out, "  <ModelVariables>\n");
  for (int i = 0; i < n; i++) (f->version == 3 ? variable3 : variable2)(a, f, v, &v[i], out);
  text_add(out, "  </ModelVariables>\n");
  structure(f, v, n, out);
  text_add(out, "</fmiModelDescription>\n");
  free(v);
}

void fmu_documentation(const Fmu *f, Text *out) {
  size_t n = nsm_derivation(f->program, "mathml", NULL, 0);
  char *page = malloc(n + 1);
  text_printf(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title></head><body>\n"
                   "<h1>%s</h1>\n<p>An FMU for %s, made by nsm %s. Values are in SI units. The equations:"
                   "</p>\n", f->name, f->name, f->exchange ? "model exchange" : "co-simulation", nsm_version());
  if (page && n > 0) {
    nsm_derivation(f->program, "mathml", page, n + 1);
    text_add(out, page);
  }
  free(page);
  text_add(out, "</body></html>\n");
}
