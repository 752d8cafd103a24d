"""A pole on a cart, and an agent that learns to hold it: the best of random linear feedbacks, all tried at once.

    PYTHONPATH=bindings/python python3 bindings/python/examples/cart_pole.py
"""
import numpy as np

import nsm

CART_POLE = """
// A pole of length 2 l on a cart, as in [Barto, Sutton, Anderson 1983]; phi = 0 is upright.
model CartPole {
  param M = 1 [kg], m = 0.1 [kg], l = 0.5 [m], g = 9.81 [m/s^2];
  input u : N = 0;                               // the force on the cart
  coord x : m = 0, phi : rad = 0;
  var inertia = m*(2*l)^2/12;
  var vx = x' + l/(1 [rad])*cos(phi)*phi', vy = -l/(1 [rad])*sin(phi)*phi';
  kinetic M*x'^2/2 + m*(vx^2 + vy^2)/2 + inertia*(phi'/(1 [rad]))^2/2;
  potential m*g*l*cos(phi);
  force x = u;
  draw {
    line([-2.4, 0], [2.4, 0]);
    box([x, 0], [0.3, 0.12]);
    line([x, 0], [x + 2*l*sin(phi), 2*l*cos(phi)]);
  }
  simulate { until = 10 [s], step = 20 [ms] }
}
"""

TASK = dict(action={"u": (-10, 10)}, observe=["x", "phi", "x'", "phi'"], frame=0.02,
            reward=lambda now, action: 1.0 - 0.001*action["u"]**2,
            done=lambda now: (np.abs(now["phi"]) > 0.21) | (np.abs(now["x"]) > 2.4),
            start={"x": (-0.05, 0.05), "phi": (-0.05, 0.05), "x'": (-0.05, 0.05), "phi'": (-0.05, 0.05)})


def best_feedback(envs, seed):
    """Of one feedback for each environment, u = k observation, that with the largest sum of rewards, and the sum."""
    k = np.random.default_rng(seed).normal(0, [2, 30, 2, 10], (envs.num_envs, 4))
    seen, _ = envs.reset(seed=seed)
    total, alive = np.zeros(envs.num_envs), np.ones(envs.num_envs, dtype=bool)
    while alive.any():
        action = np.clip(np.sum(k*seen, axis=1, keepdims=True), -10, 10)
        seen, reward, terminated, truncated, _ = envs.step(action)
        total += alive*reward
        alive &= ~(terminated | truncated)
    return k[np.argmax(total)], total.max()


if __name__ == "__main__":
    model = nsm.loads(CART_POLE, "cart_pole.nsm")
    envs = nsm.gym.VectorEnv(model, 256, **TASK)
    feedback, reward = best_feedback(envs, seed=1)
    print(f"u = {feedback.round(2)} observation holds the pole: reward {reward:.1f} of 500")
