#!/usr/bin/python3
"""A model that `nsm import` made of a file of MJCF or URDF against MuJoCo, where libmujoco-dev is installed: total
mass, mass matrix and bias force at random states, by a mechanics of its own from the bodies and joints of the text; and
motion without contacts, limits and dry friction, by nsm.

    usage: NSM=path tests/doors/mjcf/against_mujoco.py FILE.xml...
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
NUMBERS, MATRIX = r"\[[^][]*\]", r"\[[^;{}]*?\]"


def owner(folder):
    """The program that asks MuJoCo; None: it is not here."""
    out = pathlib.Path(folder) / "owner"
    made = subprocess.run([*os.environ.get("CC", "cc").split(), "-O1", HERE / "owner.c", "-o", out, "-lmujoco"],
                          stderr=subprocess.DEVNULL)
    return out if made.returncode == 0 else None


def vector(text):
    return np.array(json.loads(text), dtype=float)


def cross(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def turn(axis, angle):
    e = cross(axis / np.linalg.norm(axis))
    return np.eye(3) + np.sin(angle)*e + (1 - np.cos(angle))*e @ e


class Model:
    """Bodies and joints of the text. A joint: kind, body, and its axis and place in the world at the start."""

    def __init__(self, text):
        self.bodies, self.joints, self.read, armature, chain = {}, [], set(), {}, []
        self.gravity = vector(re.search(rf"gravity ({NUMBERS})", text)[1])
        for found in re.finditer(r"^  body (\w+) \{  // line \d+\n(.*?)^  \}", text, re.M | re.S):
            entries = found[2]
            J = vector(re.search(rf"inertia = ({MATRIX}) \[kg", entries)[1])
            attitude = re.search(r"attitude = rotation\((\[.*?\]), (\S+?)\)(?:,|\n|$)", entries)
            self.bodies[found[1]] = dict(
                mass=float(re.search(r"mass = (\S+) \[kg\]", entries)[1]), J=np.diag(J) if J.ndim == 1 else J,
                r=vector(re.search(rf"position = ({NUMBERS}) \[m\]", entries)[1]), above="ground",
                R=turn(vector(attitude[1]), float(attitude[2])) if attitude else np.eye(3))
        for found in re.finditer(r"^  kinetic (\S+) \[kg\S*\]\*(?:dot\()?(\w+)", text, re.M):
            armature[found[2]] = float(found[1])
        for line in text.splitlines():
            found = re.match(rf"  (Hinge|Slider|Ball) (\w+)\(A = (\w+), B = (\w+), at = ({NUMBERS}) \[m\]"
                             rf"(?:, axis = ({NUMBERS}))?(?:, (?:lower|upper|damping) = [^,)]*)*"
                             rf"(?:, armature = (\S+) \[kg\S*\])?\);  // line", line)
            if found:
                kind, name, A, B, at, axis, inertia = found.groups()
                armature[name] = float(inertia) if inertia else armature.get(name, 0)
                self.bodies[B]["above"] = A
                self.joints.append((kind, name, B, vector(at), vector(axis) if axis else None, armature.get(name, 0)))
            found = re.match(rf"  coord (\w+) : .*// line \d+: (?:along|about) ({NUMBERS})(?: at ({NUMBERS}))?$", line)
            if found:
                chain.append(found.groups())
            found = re.match(r"  constraint \w+_follows_place: (\w+)\.point\(.*?\) = (\w+)\.point\(", line)
            if found:
                self.bodies[found[1]]["above"] = found[2]
                for one in chain:
                    self.leads(found[1], *one, armature)
                chain = []
            found = re.match(r"  var \w+ = (\w+)\.point\(.*\) - (\w+)\.point\(.*\);$", line)
            if found:
                held, self.bodies[found[1]]["above"] = found[1], found[2]
            found = re.match(rf"  output (\w+) = .*;  // line \d+: (along|about) ({NUMBERS})(?: at ({NUMBERS}))?$",
                             line)
            if found:
                self.read_off(held, *found.groups(), armature)
        order = list(self.bodies)
        self.joints.sort(key=lambda j: order.index(j[2]))

    def leads(self, name, joint, axis, at, armature):
        """One of several joints of a body, its place and axis in the axes of the body above."""
        a = self.bodies.get(self.bodies[name]["above"], dict(r=np.zeros(3), R=np.eye(3)))
        self.joints.append(("Hinge" if at else "Slider", joint, name, a["r"] + a["R"] @ vector(at or "[0, 0, 0]"),
                            a["R"] @ vector(axis), armature.get(joint, 0)))

    def read_off(self, name, joint, kind, axis, at, armature):
        """A joint that is read off the body."""
        self.leads(name, joint, axis, at, armature)
        self.read.add(joint)

    def own(self, b):
        return [j for j in self.joints if j[2] == b]

    def dynamics(self, state, start):
        """Mass matrix and bias force of a state of MuJoCo; start: that at the start."""
        qpos, qvel, first = list(state["qpos"]), np.array(state["qvel"]), list(start["qpos"])
        n, dof = len(qvel), 0
        M, bias, gravity = np.zeros((n, n)), np.zeros(n), self.gravity
        # of each body: g (rotation, way) takes places at the start to places now; Jacobians at the origin of the world
        done = {"ground": (np.eye(3), np.zeros(3), np.zeros((3, n)), np.zeros((3, n)), np.zeros(3), np.zeros(3))}
        for k, (name, b) in enumerate(self.bodies.items()):
            R, p, Jw, Jv, alpha, acc = (x.copy() for x in done[b["above"]])
            if not self.own(name) and b["above"] == "ground":            # free: ways in the world, turns in its axes
                place = np.array(qpos[:3])
                qpos, first = qpos[7:], first[7:]
                turned = np.array(state["bodies"][k]["turn"]).reshape(3, 3)
                R = turned @ np.array(start["bodies"][k]["turn"]).reshape(3, 3).T
                p = place - R @ np.array(start["bodies"][k]["place"])
                for i in range(3):
                    Jv[i, dof + i] = 1
                    Jw[:, dof + 3 + i] = turned[:, i]
                    Jv[:, dof + 3 + i] = -cross(turned[:, i]) @ place
                omega, v = Jw @ qvel, qvel[dof:dof + 3]
                acc -= np.cross(omega, v)                  # of what is at the origin of the world
                dof += 6
            for kind, _, _, at, axis, armature in self.own(name):
                omega = Jw @ qvel
                if kind == "Hinge":
                    axis, at = R @ axis/np.linalg.norm(axis), R @ at + p
                    angle = qpos.pop(0) - first.pop(0)
                    v_at = Jv @ qvel + np.cross(omega, at)
                    Jw[:, dof] = axis
                    Jv[:, dof] = -np.cross(axis, at)
                    d_axis = np.cross(omega, axis)*qvel[dof]
                    alpha += d_axis
                    acc += -np.cross(d_axis, at) - np.cross(axis*qvel[dof], v_at)
                    G = turn(axis, angle)
                    R, p = G @ R, G @ (p - at) + at
                    M[dof, dof] += armature
                    dof += 1
                elif kind == "Slider":
                    axis = R @ axis/np.linalg.norm(axis)
                    p = p + axis*(qpos.pop(0) - first.pop(0))
                    Jv[:, dof] = axis
                    acc += np.cross(omega, axis*qvel[dof])
                    M[dof, dof] += armature
                    dof += 1
                else:
                    qpos, first = qpos[4:], first[4:]
                    at, turned = R @ at + p, np.array(state["bodies"][k]["turn"]).reshape(3, 3)
                    v_at = Jv @ qvel + np.cross(omega, at)
                    for i in range(3):
                        Jw[:, dof + i] = turned[:, i]
                        Jv[:, dof + i] = -np.cross(turned[:, i], at)
                    own = turned @ qvel[dof:dof + 3]
                    d_own = np.cross(omega, own)
                    alpha += d_own
                    acc += -np.cross(d_own, at) - np.cross(own, v_at)
                    old = R
                    R = turned @ np.array(start["bodies"][k]["turn"]).reshape(3, 3).T
                    p = R @ old.T @ (p - at) + at
                    M[dof:dof + 3, dof:dof + 3] += armature*np.eye(3)
                    dof += 3
            done[name] = R, p, Jw, Jv, alpha, acc
            c, A = R @ b["r"] + p, R @ b["R"]
            J, Jc, omega = A @ b["J"] @ A.T, Jv - cross(c) @ Jw, Jw @ qvel
            a_c = acc + np.cross(alpha, c) + np.cross(omega, Jv @ qvel + np.cross(omega, c))
            M += b["mass"]*Jc.T @ Jc + Jw.T @ J @ Jw
            bias += b["mass"]*Jc.T @ (a_c - gravity) + Jw.T @ (J @ alpha + np.cross(omega, J @ omega))
        return M, bias


def imported(nsm, path):
    key = re.search(r'<key name="(\w+)"', pathlib.Path(path).read_text())
    key = ["--key", key[1]] if key else []
    return subprocess.run([nsm, "import", path, "--quiet", *key], stdout=subprocess.PIPE, check=True, text=True).stdout


def as_mujoco_rounds(model, said):
    """MuJoCo takes inertias to their principal axes, to 1e-7 or so: puts what it then has into the model, and returns
    by how much that is off, relative. Bodies with others fixed to them stay as they are."""
    worst = 0
    for b, at in zip(model.bodies.values(), said["start"]["bodies"]):
        J = np.array(at["inertia"]).reshape(3, 3)
        if abs(b["mass"]/at["mass"] - 1) < 1e-12 and abs(J - b["J"]).max() < 1e-5*abs(J).max():
            worst = max(worst, abs(J - b["J"]).max()/abs(J).max())
            b["J"] = J
    return worst


def statics(model, said):
    """Largest relative misses of total mass, mass matrix and bias force."""
    total = sum(b["mass"] for b in model.bodies.values())
    worst = [abs(total/said["total"] - 1), 0, 0]
    for state in said["states"]:
        M, bias = model.dynamics(state, said["start"])
        theirs, forces = np.array(state["mass"]).reshape(M.shape), np.array(state["bias"])
        worst[1] = max(worst[1], abs(M - theirs).max()/abs(theirs).max())
        worst[2] = max(worst[2], abs(bias - forces).max()/abs(forces).max())
    return worst


def started(model, said):
    """Initial velocities by the names of columns."""
    values = {}
    for (name, b), at in zip(model.bodies.items(), said["start"]["bodies"]):
        omega, v = np.array(at["omega"]), np.array(at["velocity"])
        v = v + np.cross(omega, b["r"] - np.array(at["place"]))
        for i in range(3):
            values[f"{name}.r[{i + 1}]'"] = v[i]
            values[f"{name}.spin[{i + 1}]"] = (b["R"].T @ omega)[i]
    return values


def motion(nsm_package, text, model, said, seconds, step):
    """Largest distance of the centres of mass from MuJoCo's [m] at the end; two steps, extrapolated at order 2."""
    plain = re.sub(r"^  contact .*\n", "", text, flags=re.M)
    values = started(model, said)
    qvel, ends = list(said["start"]["qvel"]), []
    program = nsm_package.loads(plain, "imported.nsm")
    dof = 0
    for name, b in model.bodies.items():
        own = model.own(name)
        dof += 6 if not own and b["above"] == "ground" else 0
        for kind, joint, *_, armature in own:
            if len(own) > 1 and joint not in model.read:
                values[f"{joint}'"] = qvel[dof]
            elif kind == "Hinge" and len(own) == 1 and armature > 0:
                values[f"{joint}.angle'"] = qvel[dof]
            dof += 3 if kind == "Ball" else 1
    for h in (step, step/2):
        sim = program.simulate(step=h, until=seconds, set=values)
        sim.advance(sim.steps_total)
        ends.append(np.array([[sim[f"{name}.r[{i}]"] for i in (1, 2, 3)] for name in model.bodies]))
    end = ends[1] + (ends[1] - ends[0])/3
    theirs = []
    for (_, b), first, last in zip(model.bodies.items(), said["start"]["bodies"], said["end"]["bodies"]):
        R0, R1 = (np.array(at["turn"]).reshape(3, 3) for at in (first, last))
        theirs.append(np.array(last["place"]) + R1 @ R0.T @ (b["r"] - np.array(first["place"])))
    return abs(end - np.array(theirs)).max()


def compare(nsm, package, program, path, seconds=0.5, step=1e-3, fine=1e-5):
    text = imported(nsm, path)
    pushed = "0" if "Left out: actuators" in text else "1"
    said = json.loads(subprocess.run([program, path, "20", str(seconds), str(fine), pushed], stdout=subprocess.PIPE,
                                     check=True, text=True).stdout)
    model = Model(text)
    moved = motion(package, text, model, said, seconds, step) if package else 0
    off = as_mujoco_rounds(model, said)
    return (*statics(model, said), moved, off)


if __name__ == "__main__":
    nsm = os.environ.get("NSM", str(HERE.parents[2] / "build/release/nsm"))
    os.environ.setdefault("NSM_LIBRARY", str(pathlib.Path(nsm).resolve().parent / "lib/libnsm.so.0"))
    sys.path.insert(0, str(HERE.parents[2] / "bindings/python"))
    import nsm as package
    with tempfile.TemporaryDirectory() as folder:
        program = owner(folder)
        if not program:
            sys.exit("libmujoco is not here")
        for path in sys.argv[1:]:
            print("%s: total mass %.1e, mass matrix %.1e, bias force %.1e (relative); motion %.1e m; MuJoCo's own "
                  "inertias differ from those of the file by %.1e" %
                  (path, *compare(nsm, package, program, path)))
