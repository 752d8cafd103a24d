// nsm.h: nsm as a library. A model is compiled once (a program), each simulation of it is opened, stepped, read, saved,
// cloned. `nsm run` and `nsm sweep` are written on this interface; docs/library.md has a tour, tests/library/ examples.
//
//   nsm_program *p = nsm_compile_file("ball.nsm", NULL);
//   if (nsm_program_status(p) != NSM_OK) { nsm_print_diagnostics(p, stderr); return 1; }
//   nsm_error e;
//   nsm_sim *s = nsm_simulate(p, NULL, &e);
//   while (nsm_steps_done(s) < nsm_steps_total(s) && nsm_step(s, &e) == NSM_OK) { ... nsm_read(s, row) ... }
//   nsm_close(s);
//   nsm_program_free(p);
//
// Nothing here prints unless its name says so, and nothing ends the process, but where the compiler finds a fault of
// its own (exit code 125). All values are in SI units. A program may be used by several threads at a time, each
// simulation by one at a time; compiling is done by one thread at a time. Text that is handed out belongs to what it
// was asked of.
#ifndef NSM_H
#define NSM_H
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__) && !defined(__TINYC__)
#pragma GCC visibility push(default)
#endif

const char *nsm_version(void);          // "0.1.0"

// ---- codes, errors --------------------------------------------------------------------------------------------------
// What calls return; the exit codes of the command. NSM_FILE: what the system gives is missing, a file or memory.
// NSM_PIPE: the reader of standard output went away. NSM_STOPPED: a `stop` of the model ended the run; the command then
// exits with 0.
typedef enum {
  NSM_OK = 0, NSM_MODEL_WRONG = 1, NSM_USAGE = 2, NSM_FAILED = 3, NSM_FILE = 4, NSM_CLAIM = 5, NSM_INTERRUPTED = 130,
  NSM_STOPPED = 6, NSM_PIPE = 141
} nsm_code;

// Where in the model: a class, parameter, variable or claim by its number. line: 0, or the line where it is not the
// first one of the statement.
typedef enum { NSM_AT_NOTHING, NSM_AT_CLASS, NSM_AT_PARAMETER, NSM_AT_VARIABLE, NSM_AT_CLAIM } nsm_place_kind;
typedef struct nsm_place { nsm_place_kind kind; int number, line; } nsm_place;

// Of a simulation. text: one or more lines, as the command prints them after "error: ". Functions that take an error
// take NULL as well.
typedef struct nsm_error { nsm_code code; char text[1024]; nsm_place at; } nsm_error;

// ---- programs: compiled models --------------------------------------------------------------------------------------
typedef struct nsm_program nsm_program;

typedef struct nsm_assignment { const char *name; double value; } nsm_assignment;   // a parameter by its full name

// Zeroed fields leave what is usual. Parameters that lengths depend on have to be set here; any other may be.
typedef struct nsm_compile_settings {
  const char *scheme;                   // as --scheme: "moreau(projection = true)"; NULL: the model's, or its default
  const char *jit;                      // "tcc" (NULL), "cc", "llvm"
  const nsm_assignment *set; int nset;
  int order;                            // of consistent: 2, 4, 6, 8; 0: as the model says
} nsm_compile_settings;

// Never NULL but where there is no memory for the first bytes; nsm_program_status says how it went. The program is
// good for simulations where the status is NSM_OK. s: may be NULL. name: what messages call the text.
nsm_program *nsm_compile_file(const char *path, const nsm_compile_settings *s);
nsm_program *nsm_compile_text(const char *text, const char *name, const nsm_compile_settings *s);
void         nsm_program_free(nsm_program *p);  // after all its simulations were closed

// NSM_OK; NSM_MODEL_WRONG: diagnostics say what; NSM_USAGE, NSM_FILE: the message says what.
nsm_code     nsm_program_status(const nsm_program *p);
const char  *nsm_program_message(const nsm_program *p);    // "" where there is none
const char  *nsm_program_name(const nsm_program *p);       // of the model; "" where it was not read
const char  *nsm_program_c(const nsm_program *p);          // the emitted C; "" where there is none

// Diagnostics in the order of their places. Lines and columns count from 1, columns in characters; 0: no place.
typedef enum { NSM_ERROR, NSM_WARNING, NSM_NOTE } nsm_severity;
typedef struct nsm_diagnostic {
  nsm_severity severity;
  const char  *code;                    // "E0420"
  const char  *message;                 // the headline
  const char  *file;                    // NULL: none
  int          line, column, end_line, end_column;         // from the first character to behind the last one
  const char  *label;                   // text behind the marks, "" for none
  const char  *help;                    // the hint, "" for none
} nsm_diagnostic;
int                   nsm_ndiagnostic(const nsm_program *p);
const nsm_diagnostic *nsm_diagnostics(const nsm_program *p);                        // [nsm_ndiagnostic]
// As the command prints them; and the message.
void                  nsm_print_diagnostics(const nsm_program *p, FILE *f);
// The same as text, without colour. Like snprintf: at most room - 1 bytes and a NUL go to `to`; returns how many there
// are.
size_t                nsm_diagnostics_text(const nsm_program *p, char *to, size_t room);

// What `nsm derive` prints; form: NULL, "latex", "json" or "mathml". As nsm_diagnostics_text; 0 where the model did not
// compile or there is no such form.
size_t nsm_derivation(const nsm_program *p, const char *form, char *to, size_t room);

// What the model says of a column or a parameter, by its full name. unit: as declared ("deg"), else in SI ("m/s"), in
// which results show it; doc: its description; "" where the model does not say.
typedef struct nsm_meaning { const char *unit, *doc; } nsm_meaning;
nsm_meaning nsm_meaning_of(const nsm_program *p, const char *name);

// Parameters. Elements of arrays are parameters of their own, "k[2]".
typedef struct nsm_parameter {
  const char *name, *unit, *doc;        // "" where not given
  int         fixed;                    // lengths depend on it: to be set when compiling
} nsm_parameter;
int           nsm_nparameter(const nsm_program *p);
nsm_parameter nsm_parameter_at(const nsm_program *p, int i);

// "3", "1/2", "3 mm", "3[mm]", "9.81 m/s^2" into SI. unit: what it must agree with in dimension ("": none, given or not
// in brackets); NULL: anything. A number without a unit is SI. Returns NULL, or what is wrong (static text).
const char *nsm_read_quantity(const char *text, const char *unit, double *value);

// ---- simulations ----------------------------------------------------------------------------------------------------
typedef struct nsm_sim nsm_sim;

// An input of the model: a file of points over time, of which `column` is taken (NULL: that of the input's name, or the
// second of two); or, where path is NULL, n points in memory, of which the simulation makes a copy: times that rise and
// values, finite, in SI. Between two points it is linear, or the value of the first, or a monotone cubic, whose points
// are no kinks: a function that was asked at them. Before the first point and behind the last it is theirs.
enum { NSM_INPUT_LINEAR = 0, NSM_INPUT_HOLD = 1, NSM_INPUT_SMOOTH = 2 };
typedef struct nsm_input {
  const char *name, *path, *column;
  int between, n;
  const double *time, *value;
} nsm_input;

typedef struct nsm_settings {
  const nsm_assignment *set; int nset;   // parameters by full name
  double until, step, start;             // NaN: the model's own
  double theta, gamma;                   // NaN: the model's own
  const char *solver;                    // NULL: automatic
  double tolerance;                      // relative, of Newton's method and of one-step problems; 0: 1e-12
  double accept;                         // residual with which a one-step problem will do that misses its tolerance;
                                         // 0: 1e-6 where it has more than 300 contacts with friction (of a pile by
                                         // moreau 1e-2), else none
  double solve_budget;                   // 10^9 operations that one problem of a step may take; 0: 40. No clock
  const char *dump_problems;             // folder for every one-step problem of the run (runtime/problems), or NULL
  int general;                           // step_newton even where all is linear: the oracle of tests
  int step_by_step;                      // no whole steps (docs/numerics/whole-steps.md): their oracle
  int project_start;                     // initial values are moved onto constraints and out of obstacles, however far
  const nsm_input *input; int ninput;    // inputs over time
  int check_unique;                      // look for second solutions of the one-step problems (--check-unique)
  int located;                           // events located within the step: 1 yes, -1 no, 0: as the model says
  int any_start;                         // initial values are not compared with the laws: others take their place
  int stages;                            // of radau: 2 or 3; of consistent: half of its order; 0: as the model says
  const volatile int *stop;              // where it becomes nonzero, nsm_advance ends with NSM_INTERRUPTED behind the
                                         // step at hand, and a step that takes long is given up; NULL: never
  int strict;                            // a problem of a large pile that misses `accept` ends the run
  double rtol, atol;                     // of event_driven, relative and absolute; 0: as the model says
  int projection;                        // of moreau, places after each step: 1 yes, -1 no, 0: as the model says
  const struct nsm_team *team;           // threads that steps of large piles share out (nsm_team_open); NULL: one.
                                         // The same bits on any number. It lives as long as the simulation
} nsm_settings;
nsm_settings nsm_default_settings(void);
struct nsm_team *nsm_team_open(int threads);               // NULL: one thread, or no memory for more
void             nsm_team_close(struct nsm_team *t);       // NULL is allowed

// NULL on error. set: NULL for the defaults. All memory of a simulation is taken here and none by the steps.
nsm_sim *nsm_simulate(const nsm_program *p, const nsm_settings *set, nsm_error *e);
void     nsm_close(nsm_sim *s);                            // NULL is allowed

nsm_code nsm_step(nsm_sim *s, nsm_error *e);  // one step; on NSM_FAILED the state is that before it
nsm_code nsm_step_by(nsm_sim *s, double h, nsm_error *e);  // one step of length h > 0 [s], off the clock of the run
// n steps, or as many as there are to the end of the run: NSM_OK, or what the first that did not go well returned.
nsm_code nsm_advance(nsm_sim *s, long n, nsm_error *e);
void     nsm_reset(nsm_sim *s);                                                   // back to the start

double nsm_time(const nsm_sim *s);
long   nsm_steps_done(const nsm_sim *s);
long   nsm_steps_total(const nsm_sim *s);
double nsm_time_of_step(const nsm_sim *s, long k);   // where step k of the run ends; 0: its start

// Columns: time, states, coordinates, velocities, multipliers and impulses, outputs. Behind them stand NSM_ENERGIES
// more, which a row of nsm_read does not have: energy, energy.kinetic, energy.potential, energy.residue (of the last
// step, where the ledger is kept) [J].
enum { NSM_ENERGIES = 4 };
int         nsm_ncolumn(const nsm_sim *s);       // without the energies
const char *nsm_column_name(nsm_sim *s, int c);  // valid until the next call
// The unit in which results show it: as declared (`: deg`), else in SI; "" where the model does not say. What is read
// and set is in SI. scale: of this unit in SI; nsm_in_units: a row of nsm_read, from SI into these units;
// nsm_column_in_unit: n values of one column, `stride` apart.
const char *nsm_column_unit(nsm_sim *s, int c);
double      nsm_column_scale(const nsm_sim *s, int c);
void        nsm_in_units(const nsm_sim *s, double *row);
void        nsm_column_in_unit(const nsm_sim *s, int c, double *value, long n, long stride);
int         nsm_find_column(nsm_sim *s, const char *name);                        // -1: none
// What it holds. A state, coordinate or velocity, and what is discrete, takes values (nsm_write_column); a reaction is
// a multiplier or an impulse.
typedef enum {
  NSM_COLUMN_TIME, NSM_COLUMN_STATE, NSM_COLUMN_REACTION, NSM_COLUMN_DISCRETE, NSM_COLUMN_OUTPUT, NSM_COLUMN_ENERGY
} nsm_column_kind;
nsm_column_kind nsm_kind_of_column(const nsm_sim *s, int c);
void        nsm_read(nsm_sim *s, double *row);  // row[nsm_ncolumn], in SI; evaluates the outputs
double      nsm_read_column(nsm_sim *s, int c);     // one of them; NaN where there is none
// Many steps and their values in one call. As nsm_advance(s, n); behind each step whose number is a multiple of `every`
// a row[ncolumn] is written, the first to `rows`, and *nrow is counted up; every = 0: none is. column: their numbers;
// NULL: all, ncolumn is then nsm_ncolumn. rows has room for n/every + 1 of them. nsm_read_columns: the row of now.
// NSM_FILE: there is no memory for a row, nothing was done.
nsm_code    nsm_record(nsm_sim *s, long n, long every, const int *column, int ncolumn, double *rows, long *nrow,
                       nsm_error *e);
nsm_code    nsm_read_columns(nsm_sim *s, const int *column, int ncolumn, double *row, nsm_error *e);
// A state, coordinate, velocity or discrete variable of now takes a value, as a disturbance gives it; what the last
// step left for the next one is forgotten. Initial values: nsm_begin. NSM_USAGE for other columns.
nsm_code    nsm_write_column(nsm_sim *s, int c, double value, nsm_error *e);
// Back to the start, as nsm_reset, where these n columns have other values than the model gives them. Blocks that act
// at the start see them. They are compared with the laws of the model and moved onto them, as those of the model are
// (docs/language.md, 16.8). On an error the run stands at the model's own start. NSM_FAILED: a law refuses them.
nsm_code    nsm_begin(nsm_sim *s, int n, const int *column, const double *value, nsm_error *e);

// A parameter takes another value, from the next step on. On an error, as of a value that the model does not take, or
// one that changes sizes, everything stays as it was. It costs as much as opening the simulation.
nsm_code nsm_set_parameter(nsm_sim *s, const char *name, double value, nsm_error *e);
double   nsm_get_parameter(const nsm_sim *s, const char *name);                   // NaN: there is none

// An input takes this value from now on, until it is given another one, instead of a file or of what the model says. It
// belongs to the state. What samples at the start has acted when the simulation was opened: it sees `input` of the
// settings. NSM_USAGE: there is no such input, or the value is not finite.
nsm_code nsm_set_input(nsm_sim *s, const char *name, double value, nsm_error *e);
nsm_code nsm_set_input_at(nsm_sim *s, int i, double value, nsm_error *e);   // input i of nsm_ninput, by its number
// The inputs, in the order of the model. nsm_get_input: what a file or nsm_set_input gives it now; NaN where neither
// does, and the model says it, or nothing.
int         nsm_ninput(const nsm_sim *s);
const char *nsm_input_name(nsm_sim *s, int i);   // valid until the next call that gives a name
const char *nsm_input_unit(nsm_sim *s, int i);   // as nsm_column_unit
double      nsm_get_input(const nsm_sim *s, int i);
int         nsm_input_has_value(const nsm_sim *s, int i);  // by whatever of these

// The state as bytes: what a run goes on from, with the same bits. It fits every simulation of the same model with the
// same sizes and parameters, in the same build of the library; nsm_restore refuses others (NSM_USAGE) as far as sizes,
// scheme and version tell, and every one of which a byte was altered: a state has a checksum.
size_t   nsm_state_size(const nsm_sim *s);
void     nsm_save(const nsm_sim *s, void *to);             // [nsm_state_size]
nsm_code nsm_restore(nsm_sim *s, const void *from, nsm_error *e);
// Another simulation with the same settings in the same state; it dumps no problems. To be closed with nsm_close. NULL
// on error.
nsm_sim *nsm_clone(const nsm_sim *s, nsm_error *e);

// ---- batches: many simulations that go on together ------------------------------------------------------------------
// n simulations of one program. They share nothing: each has the bits that it has alone, whatever the number of
// threads. A member is a simulation as any other, between the calls: parameters, saving, counters.
typedef struct nsm_batch nsm_batch;

// first and n - 1 clones of it; `first` belongs to the batch from now on, and is closed on an error. threads: at most
// so many work at a time, the caller among them; 0: one for each processor. NULL on error.
nsm_batch *nsm_batch_of(nsm_sim *first, long n, int threads, nsm_error *e);
void       nsm_batch_close(nsm_batch *b);                  // with its members; NULL is allowed
long       nsm_batch_size(const nsm_batch *b);
nsm_sim   *nsm_batch_member(const nsm_batch *b, long i);   // NULL: there is none
nsm_code   nsm_batch_code(const nsm_batch *b, long i);     // what its last steps gave; NSM_OK: it goes on

// One piece of work for all members, in this order: back to the start, columns take values, inputs take values, steps,
// columns are read. Zeroed fields leave out what they say. Numbers are those of nsm_find_column and nsm_ninput, values
// are in SI.
typedef struct nsm_batch_work {
  const unsigned char *who;             // [n]: members whose entry is 0 are left alone; NULL: none is
  int           reset;
  int           nwrite;                 // columns that nsm_write_column can write; with `reset` by nsm_begin
  const int    *write;
  const double *written;                // [n][nwrite]
  int           ninput;
  const int    *input;
  const double *value;                  // [n][ninput], for all steps; each_step: [steps][n][ninput]
  int           each_step;
  long          steps;                  // or as many as there are to the end of the run
  int           ncolumn;
  const int    *column;                 // NULL: all, ncolumn is then nsm_ncolumn
  double       *row;                    // [n][ncolumn]; NULL: nothing is read
  nsm_code     *code;                   // [n] what nsm_batch_code says afterwards; NULL: it is not asked
} nsm_batch_work;

// The code of the first member that did not go well, and what it says; a `stop` of the model is no such code. A member
// whose steps fail keeps the state before that step. It and one that stopped take no more steps until they are put back
// to the start or restored; the others go on.
nsm_code nsm_batch_do(nsm_batch *b, const nsm_batch_work *w, nsm_error *e);
// Member i goes on from a state, as nsm_restore; code: what nsm_batch_code said when it was saved.
nsm_code nsm_batch_restore(nsm_batch *b, long i, const void *from, nsm_code code, nsm_error *e);

// ---- derivatives (docs/answers.md) ----------------------------------------------------------------------------------
// A run and its derivatives by parameters and initial values, impacts and switches included. of: "final(z)", or a list
// with commas; by: "e, z(0)"; refine: that many runs in steps that are aligned to events, extrapolated, at most 8; 0:
// one run; every: all columns of each such step are kept with their derivatives, 0: none, else `of` may be NULL.
typedef struct nsm_sens nsm_sens;
typedef struct nsm_sens_asked { const char *of, *by; int refine; long every; } nsm_sens_asked;

// NULL on error: NSM_USAGE where a name is not there or the run has no derivative, with the reason.
nsm_sens     *nsm_differentiate(const nsm_program *p, const nsm_settings *set, const nsm_sens_asked *asked,
                                nsm_error *e);
void          nsm_sens_free(nsm_sens *w);                  // NULL is allowed
int           nsm_sens_nof(const nsm_sens *w);
int           nsm_sens_nby(const nsm_sens *w);
const char   *nsm_sens_of(const nsm_sens *w, int i);       // "" where there is none
const char   *nsm_sens_by(const nsm_sens *w, int j);
// In SI: values [nof], derivatives [nof][nby], what the last of refined runs has changed in them [nof][nby], or NULL.
const double *nsm_sens_value(const nsm_sens *w);
const double *nsm_sens_d(const nsm_sens *w);
const double *nsm_sens_error(const nsm_sens *w);
// [*n][nsm_ncolumn][1 + nby]: the value of a column, then its derivatives, NaN where it has none.
const double *nsm_sens_rows(const nsm_sens *w, long *n);
// Where there is no derivative, or one of several; of what each counts see docs/answers.md, 3.
typedef struct nsm_sens_counts { long pieces, events, grazing, captured, weak, joint, not_unique; } nsm_sens_counts;
nsm_sens_counts nsm_sens_counted(const nsm_sens *w);

// What `nsm analyse` finds, as it writes it (docs/answers.md, 6 to 9); asked [n]: its flags, "--steady", "--period",
// "10us", ..., behind those of the model's block `analyse { }`. Of what is at rest (equilibrium, linear, modes, bode
// without a period) the program is to be compiled with the scheme moreau. NULL on error, with the reason; else to be
// given back.
char *nsm_analyse(const nsm_program *p, const nsm_settings *set, const char *const *asked, int n, nsm_error *e);
// The same of `nsm fit` (docs/answers.md, 5) and `fit { }`: JSON.
char *nsm_fit(const nsm_program *p, const nsm_settings *set, const char *const *asked, int n, nsm_error *e);
// The i-th flag that a block of the model gives: block "fit" or "analyse", flag "vary", text "e=0:1", "" of a switch.
// 0: there are fewer.
int   nsm_asked(const nsm_program *p, int i, const char **block, const char **flag, const char **text);
// The i-th entry that such a block may have, or the flag that stands for it. valued: it takes a value; asks: 1 of what
// is at rest, 2 of a motion, 0 goes with others. 0: there are fewer.
int   nsm_question(int i, const char **block, const char **flag, int *valued, int *asks);
// t of Student's distribution with this many degrees of freedom: |x| <= t with probability `level`.
double nsm_student_quantile(double level, int freedom);
void  nsm_analysis_free(char *text);                       // NULL is allowed

// States that have a derivative: their columns, NULL: not asked for; how many.
int      nsm_nstate(const nsm_sim *s, int *column);
// The Jacobian of the next step, which is not taken: of the states at its end by the states now, the inputs, parameters
// `by` ("k, m"; NULL, "": none). d [nstate][nstate + ninput + nby], in SI; by an input without a value it is 0.
nsm_code nsm_jacobian(const nsm_program *p, nsm_sim *s, const char *by, double *d, nsm_error *e);

// ---- what a run did -------------------------------------------------------------------------------------------------
typedef struct nsm_counters {
  long   steps, newton_iterations, solver_iterations, impacts;
  long   stagnations;   // steps that Newton's method left above the tolerance, where its residual fell no more
  double worst_residual; // of these, relative
  long   whole_steps;   // steps taken by whole steps (docs/numerics/whole-steps.md), of `steps`
  long   left_out;      // steps of the energy-consistent schemes that left a contact to the next step (consistent.md 4)
  long   frozen;        // likewise, that kept directions of contacts of the begin of the step (consistent.md (6a))
  long   unsettled;     // likewise, with bodies whose friction did not settle at the end of the step (friction.md (6))
  long   softened;      // steps with an impact of less restitution than given: more would have made energy, or friction
                        // jammed it (consistent.md 3, impacts.md 2, 4)
  double max_residual;  // of the one-step problems, by the independent check
  long   accepted;      // steps with a one-step problem that missed the tolerance and was within `accept`
  long   accepted_step; // the last of them, from 1
  double worst_accepted; // the largest residual of these
  long   contacts;      // most points of contact of shapes at a time
  double deepest;       // how deep two of them were in each other, at most [m]
  long   events;        // how often blocks `every` and `when` were run
  long   located;       // impacts and switches that ended a piece of a step (docs/numerics/located.md)
  long   captured;      // steps whose rest was taken without locating any
  double max_miss;      // of a constraint on places, beside the size of its terms: in every 128th step, and now
  long   halved;        // steps, or parts of them, that had no solution that was found, and were taken in parts
  long   piles;         // steps with a problem of more than 300 contacts that was solved to a pile's tolerance
  double pile_tolerance; // that tolerance
  long   missed;        // steps of these that missed `accept` too and went on with the best answer
  double worst_missed;  // the largest residual of these
  double closing;       // the largest speed at which bodies still closed in them [m/s]
  long   pile_step, missed_step; // the last of these steps, from 1
} nsm_counters;
void nsm_get_counters(const nsm_sim *s, nsm_counters *c);

// A located event: its row by name, as "contact floor"; of an impact the rate before and after [m/s], the impulse [N s]
// and the energy that it took [J], friction at that contact included; nan where there is none.
typedef struct nsm_located_event {
  double      time;
  const char *kind;     // "impact", "opens", "slips", "sticks", "switches", "when"; "captured" behind a switch of radau
  const char *name;     // valid during the call
  double      before, after, impulse, loss;
} nsm_located_event;
typedef void nsm_event_hook(void *with, const nsm_located_event *event);
void nsm_on_event(nsm_sim *s, nsm_event_hook *hook, void *with);   // called at each of them; hook NULL: no more

// Steps that end at events: a step within which an impact or a switch is located, or a block `every` or `when` is run,
// ends at that instant, behind the event; the next one leads to the next time of the clock. Where a value jumps, the
// row of just before goes to before[nsm_ncolumn]. nsm_step, nsm_step_by: taken so; a run that locates nothing and has
// no blocks is as it was. before NULL: no more. nsm_was_event: 1 where the last step ended at an event, 2 where
// `before` was written too; else 0. Its bits are not those of whole steps: each piece is a step.
void nsm_stop_at_events(nsm_sim *s, double *before);
int  nsm_was_event(const nsm_sim *s);

// What the model claims of a run (`expect`). nsm_keep_claims: from the present state on, of the steps that nsm_record
// takes; nsm_reset and nsm_restore end it. NSM_FILE: no memory. nsm_claim_at: claim i as of now, 0 where none is kept.
typedef struct nsm_claim {
  const char   *text;                   // as it is written
  int           line, held;             // held: 1, 0; -1 where the run did not reach the time that it is about
  int           nvalue;
  const double *value;                  // [nvalue] of its statistics, as they stand in it; valid until the next call
} nsm_claim;
int      nsm_nclaim(const nsm_sim *s);
nsm_code nsm_keep_claims(nsm_sim *s, nsm_error *e);
int      nsm_claim_at(nsm_sim *s, int i, nsm_claim *to);

// Energies now [J], and the ledger since nsm_keep_ledger, or since the start: what forces put in, what dampers and
// contacts took, and what is left unexplained. 0 where the model has no energy; 1 with the energies alone, the rest
// NaN; 2 with the ledger.
typedef struct nsm_energy {
  double kinetic, potential;
  double initial, forces, dampers, contacts, friction;     // friction: part of contacts
  double residue;                       // largest of a step
} nsm_energy;
void nsm_keep_ledger(nsm_sim *s);       // costs an evaluation of the energies per step
int  nsm_get_energy(const nsm_sim *s, nsm_energy *energy);

// ---- what a run looks like (docs/view.md) ---------------------------------------------------------------------------
// Contacts that the model names, members of families one by one; those of shapes come and go, see nsm_touch_point_at.
// Slips: its friction is at its limit. Touches: it has no friction, or a law whose limit is no ellipse.
typedef enum { NSM_APART, NSM_TOUCHES, NSM_STICKS, NSM_SLIPS } nsm_contact_state;
int               nsm_ncontact(const nsm_sim *s);
const char       *nsm_contact_name(nsm_sim *s, int i);     // valid until the next call that gives a name
nsm_contact_state nsm_contact_state_at(const nsm_sim *s, int i);     // in the step done last

// The largest residual of the one-step problems since it was asked for last.
double nsm_take_residual(nsm_sim *s);

// Bodies that have shapes. part: kind is the nsm_shape_kind of runtime/shapes/shape.h; size, place and rotation (row by
// row) in the axes of the body; of polyhedra and polygons the corners, three numbers each. pose: r (3) and R (9).
typedef struct nsm_part {
  int kind, ncorner;
  const double *corner;
  double size[3], at[3], turn[9];
} nsm_part;
int         nsm_nbody(const nsm_sim *s);
const char *nsm_body_name(nsm_sim *s, int i);              // valid until the next call that gives a name
int         nsm_body_moves(const nsm_sim *s, int i);       // 0: it is fixed
int         nsm_nbody_part(const nsm_sim *s, int i);
nsm_part    nsm_body_part(const nsm_sim *s, int i, int part);
void        nsm_body_pose(const nsm_sim *s, int i, double pose[12]);

// Point of contact i of shapes in the step done last: where it was as the step began, its impulse on the second body.
// 0: there are no more.
typedef struct nsm_touch_point { double at[3], impulse[3], gap; } nsm_touch_point;
int nsm_touch_point_at(const nsm_sim *s, int i, nsm_touch_point *out);

// What `draw` items of the model show, members of families together. shape: "line", "disk", ...; argument: of how many
// numbers each is; text: a string among them, "" for none. The values: for each member those of the arguments in order.
enum { NSM_MOST_ARGUMENTS = 8 };
typedef struct nsm_drawing {
  const char *shape, *text;
  int         nargument, argument[NSM_MOST_ARGUMENTS];
} nsm_drawing;
int         nsm_ndrawing(const nsm_program *p);
nsm_drawing nsm_drawing_at(const nsm_program *p, int i);
int         nsm_drawing_members(const nsm_program *p, const nsm_sim *s, int i);
void        nsm_read_drawing(const nsm_program *p, nsm_sim *s, int i, double *to);

// "error: ...", with the line of the model and its place marked, as the command prints it; and the same as text without
// colour, as nsm_diagnostics_text.
void nsm_print_run_error(const nsm_program *p, const nsm_error *e, FILE *f);
size_t nsm_run_error_text(const nsm_program *p, const nsm_error *e, char *to, size_t room);
int  nsm_error_line(const nsm_program *p, const nsm_error *e, const char **file);   // 0: none

#if defined(__GNUC__) && !defined(__TINYC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
