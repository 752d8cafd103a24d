// What shells and manuals are told of the commands: nsm completion, nsm man. All of it comes from the tables of
// commands and flags.
#include <string.h>
#include "commands.h"

// ---- completion -----------------------------------------------------------------------------------------------------
static void print_flag_words(const Command *c) {
  for (int i = 0; i < NSM_FLAGS; i++)
    if (nsm_flag_taken(c->id, i)) printf(" --%s", nsm_flag_name(i));
}

// The words of a flag that takes one of several: --jit tcc.
static void print_choices(void) {
  for (int i = 0; i < NSM_FLAGS; i++) {
    const char *words = nsm_flag_choices(i);
    if (!*words) continue;
    printf("    --%s) COMPREPLY=($(compgen -W \"", nsm_flag_name(i));
    for (; *words; words++) putchar(*words == '|' || *words == ',' ? ' ' : *words);
    printf("\" -- \"$word\")); return ;;\n");
  }
}

static void print_bash(void) {
  puts("# Completion of nsm for bash, made by `nsm completion bash`. In ~/.bashrc: eval \"$(nsm completion bash)\"\n"
       "_nsm() {\n"
       "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} flags=\n"
       "  if [ \"$COMP_CWORD\" = 1 ]; then");
  fputs("    COMPREPLY=($(compgen -W \"", stdout);
  for (int i = 0; i < COMMANDS; i++) printf("%s%s", i ? " " : "", commands[i].name);
  puts("\" -- \"$word\")); return\n  fi\n  case $before in");
  print_choices();
  fputs("    help) COMPREPLY=($(compgen -W \"", stdout);
  for (int i = 0; i < COMMANDS; i++) printf("%s%s", i ? " " : "", commands[i].name);
  puts("\" -- \"$word\")); return ;;\n    completion) COMPREPLY=($(compgen -W \"bash zsh\" -- \"$word\"));"
       " return ;;\n  esac\n"
       "  case ${COMP_WORDS[1]} in");
  for (int i = 0; i < COMMANDS; i++) {
    printf("    %s) flags=\"", commands[i].name);
    print_flag_words(&commands[i]);
    puts("\" ;;");
  }
  puts("  esac\n"
       "  if [[ $word == -* ]]; then COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
       "  else COMPREPLY=($(compgen -f -- \"$word\")); fi\n"
       "}\n"
       "complete -o filenames -F _nsm nsm ./nsm");
}

// Text within '...' of zsh, without the signs that mean something in a specification.
static void print_plain(const char *s) {
  for (; *s; s++) putchar(strchr("'[]:\"`", *s) ? ' ' : *s);
}

static void print_zsh(void) {
  puts("#compdef nsm\n"
       "# Completion of nsm for zsh, made by `nsm completion zsh`. In ~/.zshrc: eval \"$(nsm completion zsh)\"\n"
       "_nsm() {\n  local -a commands=(");
  for (int i = 0; i < COMMANDS; i++) {
    printf("    '%s:", commands[i].name);
    print_plain(commands[i].what);
    puts("'");
  }
  puts("  )\n  if (( CURRENT == 2 )); then _describe command commands; return; fi\n  case $words[2] in");
  for (int i = 0; i < COMMANDS; i++) {
    printf("    %s) _arguments", commands[i].name);
    for (int k = 0; k < NSM_FLAGS; k++) {
      if (!nsm_flag_taken(commands[i].id, k)) continue;
      printf(" \\\n      '--%s[", nsm_flag_name(k));
      print_plain(nsm_flag_help(k));
      fputs(*nsm_flag_argument(k) ? "]:value:_files'" : "]'", stdout);
    }
    puts(" \\\n      '*:file:_files' ;;");
  }
  puts("  esac\n}\ncompdef _nsm nsm");
}

int command_completion(const Options *o) {
  if (!strcmp(o->file[0], "bash")) print_bash();
  else if (!strcmp(o->file[0], "zsh")) print_zsh();
  else {
    fprintf(stderr, "error: there is no completion for '%s'; there is bash and zsh\n", o->file[0]);
    return EXIT_USAGE;
  }
  return EXIT_OK;
}

// ---- manual ---------------------------------------------------------------------------------------------------------
// Text of a page in roff: a line that begins with a dot or quote is none of its commands, and - is a minus.
static void print_roff(const char *s) {
  for (int start = 1; *s; s++) {
    if (start && (*s == '.' || *s == '\'')) fputs("\\&", stdout);
    if (*s == '\\') fputs("\\e", stdout);
    else if (*s == '-') fputs("\\-", stdout);
    else putchar(*s);
    start = *s == '\n';
  }
}

static void print_command_page(const Command *c) {
  printf(".SS nsm %s ", c->name);
  print_roff(c->files);
  puts("");
  print_roff(c->what);
  puts(".\n.PP\n.nf");
  print_roff(c->story);
  puts(".fi");
  for (int i = 0; i < NSM_FLAGS; i++) {
    if (!nsm_flag_taken(c->id, i)) continue;
    printf(".TP\n\\fB\\-\\-");
    print_roff(nsm_flag_name(i));
    printf("\\fR ");
    print_roff(nsm_flag_argument(i));
    puts("");
    print_roff(nsm_flag_help(i));
    puts("");
  }
}

int command_man(const Options *o) {
  (void)o;
  puts(".TH NSM 1 \"\" \"nsm " NSM_VERSION "\" \"User Commands\"\n.SH NAME\n"
       "nsm \\- a language and a compiler for nonsmooth dynamics\n.SH SYNOPSIS\n.B nsm\n.I COMMAND FILE...\n[flags]\n"
       ".SH DESCRIPTION\n"
       "A model says energies or equations, and set\\-valued laws: impacts, friction, ideal diodes, relays. nsm\n"
       "derives the equations of motion, compiles and runs them. Data goes to standard output or to the\n"
       "file after \\-o, everything else to standard error. The file \\- is standard input.\n.SH COMMANDS");
  for (int i = 0; i < COMMANDS; i++) print_command_page(&commands[i]);
  puts(".SH EXIT STATUS\n0 ok, 1 model wrong, 2 usage, 3 simulation failed, 4 file, memory or C compiler missing,\n"
       "5 claim failed, 125 fault of nsm, 130 interrupted.");
  return EXIT_OK;
}
