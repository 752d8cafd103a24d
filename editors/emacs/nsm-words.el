;;; nsm-words.el --- words of nsm  -*- lexical-binding: t; -*-
;; Made by editors/make from the tables of the compiler.

(defconst nsm-words-declare
  '(
    "param" "state" "coord" "multiplier" "algebraic" "node" "input" "discrete" "output" "var" "body"
    "material"
    ))

(defconst nsm-words-item
  '(
    "import" "function" "model" "flow" "kinetic" "potential" "dissipation" "force" "relation"
    "contact" "constraint" "for" "every" "when" "gravity" "pair" "simulate" "expect" "assert" "draw"
    "plot" "fit" "analyse" "analyze" "stop" "fail"
    ))

(defconst nsm-words-operator
  '(
    "if" "then" "else" "sum" "and" "or" "not" "in" "perp" "to" "offset" "with"
    ))

(defconst nsm-words-function
  '(
    "sqrt" "exp" "log" "sin" "cos" "tan" "asin" "acos" "atan" "atan2" "turned" "sinh" "cosh" "tanh"
    "abs" "sign" "floor" "min" "max" "der" "dot" "norm" "cross" "transpose" "rotation" "identity"
    "table" "spline" "delay" "given" "sgn" "normal_cone" "graph" "final" "initial" "mean" "drift"
    "gain" "at" "events" "first" "last" "line" "polygon" "disk" "circle" "sphere" "box" "spring"
    "damper" "trail" "arrow" "text"
    ))

(defconst nsm-words-law
  '(
    "newton" "poisson" "binary" "lzb" "inelastic" "elastic" "coulomb" "contensou" "rolling"
    "scleronomous" "rheonomous" "type1" "type2" "moreau" "midpoint" "consistent" "consistent1"
    "consistent_explicit_mass" "d1minus" "schatzman_paoli" "radau" "event_driven" "sphere" "box"
    "capsule" "cylinder" "halfspace" "convex" "disk" "rectangle" "polygon" "halfplane" "union"
    ))

(defconst nsm-words-part
  '(
    "normal" "normal_force" "slip" "between" "among" "with" "until" "start" "step" "scheme" "solver"
    "tolerance" "project_start" "accept" "mass" "inertia" "position" "attitude" "velocity" "spin"
    "shape" "density" "material" "fixed" "driven" "rtol" "atol" "stages" "order" "projection"
    "located" "theta" "gamma" "e" "e_t" "mu" "radius" "mu_r" "ratio" "exponent" "exact" "periodic"
    "data" "match" "vary" "each" "prior" "loss" "starts" "seed" "profile" "sigma" "log"
    "equilibrium" "linear" "modes" "steady" "stable" "period" "inputs" "outputs" "bode"
    "frequencies" "decades" "section" "hit" "up" "down" "bifurcation" "values" "follow" "lyapunov"
    "settle" "points" "from" "hold" "refine"
    ))

(defconst nsm-words-constant
  '(
    "none" "pi" "inf" "time" "ground" "energy" "problems" "true" "false"
    ))

(provide 'nsm-words)
;;; nsm-words.el ends here
