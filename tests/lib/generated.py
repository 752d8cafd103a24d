"""Texts of models of any size: the growth of what the compiler does is measured on them (tests/cli, tests/bench)."""


def planar_pendulum(n, scheme="consistent", steps=1000):
    """n links in relative angles, scalars written out: positions are sums of l*sin(sum of angles)."""
    s = "model Pendulum {\n  param l = 0.1 [m], m = 0.1 [kg], g = 9.81 [m/s^2];\n  coord "
    s += ", ".join(f"p{i} : rad = {0.3 if i == 1 else 0.05}" for i in range(1, n + 1)) + ";\n"
    for i in range(1, n + 1):
        a, x, y = (f"a{i - 1} + ", f"x{i - 1} + ", f"y{i - 1} - ") if i > 1 else ("", "", "-")
        s += f"  var a{i} = {a}p{i}, x{i} = {x}l*sin(a{i}), y{i} = {y}l*cos(a{i});\n"
    s += "  kinetic " + " + ".join(f"m*(x{i}'^2 + y{i}'^2)/2" for i in range(1, n + 1)) + ";\n"
    s += "  potential " + " + ".join(f"m*g*y{i}" for i in range(1, n + 1)) + ";\n"
    return s + f"  simulate {{ until = {steps} [ms], step = 1 [ms], scheme = {scheme} }}\n}}\n"


def planar_pendulum_sums(n, scheme="consistent", steps=1000):
    """The same with an array of angles and sums whose ends are the index of another sum."""
    angle, rate = "(sum(j in 1:i) p[j])", "(sum(j in 1:i) p[j]')"
    return (f"model Pendulum {{\n  param n = {n}, l = 0.1, m = 0.1, g = 9.81;\n  coord p[n] = 0.05;\n"
            f"  kinetic sum(k in 1:n) m*((sum(i in 1:k) l*cos({angle})*{rate})^2\n"
            f"                           + (sum(i in 1:k) l*sin({angle})*{rate})^2)/2;\n"
            f"  potential -sum(k in 1:n) m*g*sum(i in 1:k) l*cos({angle});\n"
            f"  simulate {{ until = {steps / 1000}, step = 1e-3, scheme = {scheme} }}\n}}\n")


def planar_pendulum_instances(n, scheme="consistent", steps=1000):
    """The same with a model for one link, which takes place and angle of the link before."""
    s = ("model Link(a0, x0, y0) {\n  param l = 0.1, m = 0.1, g = 9.81;\n  coord p = 0.05;\n"
         "  var a = a0 + p, x = x0 + l*sin(a), y = y0 - l*cos(a);\n"
         "  kinetic m*(x'^2 + y'^2)/2;\n  potential m*g*y;\n}\nmodel Pendulum {\n")
    for i in range(1, n + 1):
        before = f"a0 = k{i - 1}.a, x0 = k{i - 1}.x, y0 = k{i - 1}.y" if i > 1 else "a0 = 0, x0 = 0, y0 = 0"
        s += f"  Link k{i}({before});\n"
    return s + f"  simulate {{ until = {steps / 1000}, step = 1e-3, scheme = {scheme} }}\n}}\n"


def arm(n, scheme="consistent", steps=1000):
    """n revolute joints in space, turned by matrices about z and x in turn; a mass at the end of each link."""
    s = ("function about_x(a) = [[1, 0, 0], [0, cos(a), -sin(a)], [0, sin(a), cos(a)]];\n"
         "function about_z(a) = [[cos(a), -sin(a), 0], [sin(a), cos(a), 0], [0, 0, 1]];\n"
         "model Arm {\n  param l = 0.3, m = 0.5, g = 9.81;\n  coord ")
    s += ", ".join(f"q{i} = 0.1" for i in range(1, n + 1)) + ";\n"
    for i in range(1, n + 1):
        turn, before, place = "about_z" if i % 2 else "about_x", f"R{i - 1}*" if i > 1 else "", f"p{i - 1} + "
        s += f"  var R{i} = {before}{turn}(q{i}), p{i} = {place if i > 1 else ''}R{i}*[0, 0, l], v{i} = p{i}';\n"
    s += "  kinetic " + " + ".join(f"m*dot(v{i}, v{i})/2 + 0.01*q{i}'^2/2" for i in range(1, n + 1)) + ";\n"
    s += "  potential " + " + ".join(f"m*g*p{i}[3]" for i in range(1, n + 1)) + ";\n"
    return s + f"  simulate {{ until = {steps / 1000}, step = 1e-3, scheme = {scheme} }}\n}}\n"


def diodes(n):
    """n rectifiers written one by one, each with a state, a multiplier, an equation and a relation."""
    s = "model Diodes {\n  param R = 1000, C = 1e-6;\n"
    for i in range(n):
        s += (f"  state u{i} = {1 + i % 7};\n  multiplier i{i};\n  u{i}' = (sin(100*time) - u{i})/(R*C) + i{i}/C;\n"
              f"  relation d{i}: 0 <= u{i} perp i{i} >= 0;\n")
    return s + "  simulate { until = 1e-5, step = 1e-6 }\n}\n"


def springs(n):
    """n masses and springs written one by one, each with constants of its own."""
    s = "model Springs {\n"
    for i in range(n):
        s += f"  coord x{i} = {0.1*i:g};\n  kinetic {10 + 0.37*(i % 97):g}/2*x{i}'^2;\n"
        if i:
            s += f"  potential {100 + 1.3*(i % 89):g}/2*(x{i} - x{i - 1} - {0.11 + 0.001*(i % 7):g})^2;\n"
    return s + "  simulate { until = 0.1, step = 0.001 }\n}\n"


def springs_by_tables(n):
    """The same as one family whose constants are arrays."""
    def table(name, of):
        return f"  param {name}[{n}] = [{', '.join(f'{of(i):g}' for i in range(n))}];\n"
    return ("model Springs {\n" + table("m", lambda i: 10 + 0.37*(i % 97)) + table("k", lambda i: 100 + 1.3*(i % 89)) +
            table("l", lambda i: 0.11 + 0.001*(i % 7)) + table("x0", lambda i: 0.1*i) +
            f"  coord x[{n}] = x0;\n  kinetic sum(i in 1:{n}) m[i]/2*x[i]'^2;\n"
            f"  potential sum(i in 2:{n}) k[i]/2*(x[i] - x[i-1] - l[i])^2;\n"
            "  simulate { until = 0.1, step = 0.001 }\n}\n")


def chain_of_vars(n):
    """Each var reads the last one three times: as a tree it has 3^n leaves."""
    s = "model Chain {\n  coord x = 1;\n  kinetic x'^2/2;\n  var a0 = x;\n"
    for i in range(1, n + 1):
        s += f"  var a{i} = a{i - 1}*sin(a{i - 1})/(1 + a{i - 1}^2);\n"
    return s + f"  potential a{n};\n  simulate {{ until = 0.01, step = 0.001 }}\n}}\n"


def nested_functions(n):
    """Each function calls the one before three times."""
    s = "function f0(x) = x;\n"
    for i in range(1, n + 1):
        s += f"function f{i}(x) = f{i - 1}(x)*f{i - 1}(x/2) + sin(f{i - 1}(x));\n"
    return s + f"model Nested {{ state x = 1;  x' = -f{n}(x);  simulate {{ until = 0.01, step = 0.001 }} }}\n"


def sine_of_sine(n):
    return ("model Tower { coord x = 1;  kinetic x'^2/2;  potential " + "sin("*n + "x" + ")"*n +
            ";  simulate { until = 0.01, step = 0.001 } }\n")
