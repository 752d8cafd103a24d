// The systems of tests/bench/run and docs/gallery/work, driven through Siconos 4.4 (C++ API, its default solver for an
// LCP: Lemke).
//   siconos_systems ball|bridge|column N STEPS     prints nanoseconds per step of the time loop alone, set-up excluded,
//                                                   then the final state, to be compared with ours. N: beads of the
//                                                   column; parts of 5 ms, the step of the ball.
// Parameters: as the models bouncing_ball, diode_bridge and column; theta = 1/2.
#include <SiconosKernel.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

using std::make_shared;
using std::shared_ptr;
using Matrix = SimpleMatrix;
using Vector = SiconosVector;

struct System {
  shared_ptr<NonSmoothDynamicalSystem> model;
  shared_ptr<TimeStepping> simulation;
};

static System stepping(shared_ptr<NonSmoothDynamicalSystem> model, shared_ptr<OneStepIntegrator> osi, double h) {
  auto simulation =
      make_shared<TimeStepping>(model, make_shared<TimeDiscretisation>(model->t0(), h), osi, make_shared<LCP>());
  return {model, simulation};
}

// m q'' = -m g, 0 <= q - R perp p, e = 0.9
static System ball(int n, double steps) {
  const double h = 5e-3 / n;
  auto model = make_shared<NonSmoothDynamicalSystem>(0., h * steps);
  auto q = make_shared<Vector>(1, 1.0), v = make_shared<Vector>(1, 0.0), f = make_shared<Vector>(1, -9.81);
  auto mass = make_shared<Matrix>(1, 1), H = make_shared<Matrix>(1, 1);
  (*mass)(0, 0) = 1, (*H)(0, 0) = 1;
  auto body = make_shared<LagrangianLinearTIDS>(q, v, mass);
  body->setFExtPtr(f);
  model->insertDynamicalSystem(body);
  auto gap = make_shared<LagrangianLinearTIR>(H, make_shared<Vector>(1, -0.1));
  model->link(make_shared<Interaction>(make_shared<NewtonImpactNSL>(0.9), gap), body);
  return stepping(model, make_shared<MoreauJeanOSI>(0.5), h);
}

// The bridge of four diodes with LC resonator: x = (v, i), lambda = (-v_R1, -v_F2, i_F1, i_R2).
static System bridge(double steps) {
  const double h = 1e-6, L = 1e-2, C = 1e-6, R = 1e3;
  auto model = make_shared<NonSmoothDynamicalSystem>(0., h * steps);
  auto x0 = make_shared<Vector>(2);
  (*x0)(0) = 10;
  auto A = make_shared<Matrix>(2, 2), B = make_shared<Matrix>(2, 4), Cm = make_shared<Matrix>(4, 2),
       D = make_shared<Matrix>(4, 4);
  (*A)(0, 1) = -1 / C, (*A)(1, 0) = 1 / L;
  (*B)(0, 2) = -1 / C, (*B)(0, 3) = 1 / C;
  (*Cm)(2, 0) = -1, (*Cm)(3, 0) = 1;
  (*D)(0, 0) = (*D)(0, 1) = (*D)(1, 0) = (*D)(1, 1) = 1 / R;
  (*D)(0, 2) = (*D)(1, 3) = -1, (*D)(2, 0) = (*D)(3, 1) = 1;
  auto circuit = make_shared<FirstOrderLinearTIDS>(x0, A);
  model->insertDynamicalSystem(circuit);
  auto relation = make_shared<FirstOrderLinearTIR>(Cm, B);
  relation->setDPtr(D);
  model->link(make_shared<Interaction>(make_shared<ComplementarityConditionNSL>(4), relation), circuit);
  return stepping(model, make_shared<EulerMoreauOSI>(0.5), h);
}

// n beads in a column: bead i (from 0) starts at 0.2 + 0.3 i; floor and n - 1 pairs, e = 0.9.
static System column(int n, double steps) {
  const double h = 5e-3, R = 0.1;
  auto model = make_shared<NonSmoothDynamicalSystem>(0., h * steps);
  auto law = make_shared<NewtonImpactNSL>(0.9);
  shared_ptr<LagrangianLinearTIDS> below;
  for (int i = 0; i < n; i++) {
    auto mass = make_shared<Matrix>(1, 1);
    (*mass)(0, 0) = 1;
    auto bead =
        make_shared<LagrangianLinearTIDS>(make_shared<Vector>(1, 0.2 + 0.3 * i), make_shared<Vector>(1, 0.0), mass);
    bead->setFExtPtr(make_shared<Vector>(1, -9.81));
    model->insertDynamicalSystem(bead);
    auto H = make_shared<Matrix>(1, below ? 2 : 1);
    if (below) (*H)(0, 0) = -1, (*H)(0, 1) = 1;
    else (*H)(0, 0) = 1;
    auto gap = make_shared<LagrangianLinearTIR>(H, make_shared<Vector>(1, below ? -2 * R : -R));
    auto contact = make_shared<Interaction>(law, gap);
    if (below) model->link(contact, below, bead);
    else model->link(contact, bead);
    below = bead;
  }
  return stepping(model, make_shared<MoreauJeanOSI>(0.5), h);
}

int main(int argc, char **argv) {
  if (argc != 4) return std::fprintf(stderr, "usage: siconos_systems ball|bridge|column N STEPS\n"), 2;
  const int n = std::atoi(argv[2]), steps = std::atoi(argv[3]);
  System s = !std::strcmp(argv[1], "ball")     ? ball(n, steps)
             : !std::strcmp(argv[1], "bridge") ? bridge(steps)
                                               : column(n, steps);
  s.simulation->initialize();
  auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < steps; k++) {
    s.simulation->computeOneStep();
    s.simulation->nextStep();
  }
  std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  std::printf("%.1f", wall.count() / steps * 1e9);
  auto first = s.model->dynamicalSystem(s.model->topology()->getDynamicalSystem(0)->number());
  if (auto body = std::dynamic_pointer_cast<LagrangianDS>(first))
    std::printf(" %.17g %.17g\n", (*body->q())(0), (*body->velocity())(0));
  else std::printf(" %.17g %.17g\n", (*first->x())(0), (*first->x())(1));
  return 0;
}
