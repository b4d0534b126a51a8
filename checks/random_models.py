"""Random MJCF robots that use everything the importer carries over."""

import numpy as np


def numbers(x):
    return " ".join(repr(float(v)) for v in np.atleast_1d(x))


def unit(rng, n=3):
    v = rng.normal(size=n)
    return v / np.linalg.norm(v)


def square(rng):
    """Three perpendicular directions, either handed."""
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return q.T


class Model:
    def __init__(self, seed):
        self.rng = rng = np.random.default_rng(seed)
        self.radian = rng.random() < 0.5
        self.joints, self.sites, self.bodies, self.count = [], [], [], 0
        self.equalities = rng.random() < 0.25

    def angle(self, x):
        return x if self.radian else np.degrees(x)

    def orientation(self):
        rng = self.rng
        kind = rng.integers(6)
        if kind == 0:
            return ""
        if kind == 1:
            return f' quat="{numbers(rng.normal(size=4))}"'
        if kind == 2:
            return f' euler="{numbers(self.angle(rng.normal(size=3)))}"'
        if kind == 3:
            return f' axisangle="{numbers([*rng.normal(size=3), self.angle(rng.normal())])}"'
        if kind == 4:
            return f' xyaxes="{numbers(rng.normal(size=6))}"'
        return f' zaxis="{numbers(rng.normal(size=3))}"'

    def pose(self):
        return f'pos="{numbers(self.rng.normal(size=3) * 0.3)}"' + self.orientation()

    def joint(self, kind, axis=None, at=None, extras=True):
        rng = self.rng
        self.count += 1
        name = f"j{self.count}"
        text = f'<joint name="{name}" type="{kind}"'
        if axis is not None:
            text += f' axis="{numbers(axis * rng.uniform(0.5, 2))}"'
        if at is not None:
            text += f' pos="{numbers(at)}"'
        if kind in ("hinge", "slide"):
            self.joints.append(name)
            for what, chance, value in (("stiffness", 0.3, rng.uniform(1, 9)), ("damping", 0.4, rng.uniform(0, 2)),
                                        ("armature", 0.4, rng.uniform(0.01, 1))):
                if rng.random() < chance:
                    text += f' {what}="{numbers(value)}"'
            turn = self.angle if kind == "hinge" else float
            if extras and rng.random() < 0.3:
                text += f' ref="{numbers(turn(rng.uniform(-1, 1)))}"'
            if rng.random() < 0.3:
                text += f' springref="{numbers(turn(rng.uniform(-1, 1)))}"'
        elif kind == "ball" and rng.random() < 0.4:
            text += f' stiffness="{numbers(rng.uniform(1, 9))}"'
        return text + "/>"

    def chain(self, root):
        rng = self.rng
        a, p = square(rng), rng.normal(size=3) * 0.2
        axis = unit(rng)
        kinds = ["hinge", "slide", "ball", "cylinder", "universal", "passing", "cardan", "planar", "polar", "table",
                 "sliding ball", "oblique", "fixed"] + (["free"] if root else [])
        kind = kinds[rng.integers(len(kinds))]
        j = self.joint
        return {
            "hinge": lambda: [j("hinge", axis, p)],
            "slide": lambda: [j("slide", axis)],
            "ball": lambda: [j("ball", None, p)],
            "cylinder": lambda: [j("hinge", axis, p), j("slide", axis)],
            "universal": lambda: [j("hinge", a[0], p), j("hinge", a[1], p + 0.3 * a[1])],
            "passing": lambda: [j("hinge", a[0], p), j("hinge", a[1], p + rng.normal(size=3))],
            "cardan": lambda: [j("hinge", a[0], p), j("hinge", a[1], p, False), j("hinge", a[2], p)],
            "planar": lambda: [j("slide", a[0]), j("slide", a[1]), j("hinge", a[2], p)],
            "polar": lambda: [j("hinge", a[2], p), j("slide", a[0])],
            "table": lambda: [j("slide", a[0]), j("slide", a[1]), j("slide", a[2])],
            "sliding ball": lambda: [j("slide", a[0]), j("ball", None, p)],
            "oblique": lambda: [j("slide", axis), j("hinge", unit(rng), p)],
            "fixed": lambda: [],
            "free": lambda: ["<freejoint/>" if rng.random() < 0.5 else '<joint type="free"/>'],
        }[kind]()

    def geom(self):
        rng = self.rng
        kind = ["sphere", "box", "capsule", "cylinder", "ellipsoid"][rng.integers(5)]
        size = rng.uniform(0.05, 0.3, size={"sphere": 1, "box": 3, "ellipsoid": 3}.get(kind, 2))
        text = f'<geom type="{kind}"'
        if kind != "sphere" and rng.random() < 0.4:
            text += f' fromto="{numbers(rng.normal(size=6) * 0.3)}" size="{numbers(size[0])}"'
        else:
            text += f' size="{numbers(size)}" ' + self.pose()
        if rng.random() < 0.5:
            text += f' mass="{numbers(rng.uniform(0.1, 3))}"'
        elif rng.random() < 0.5:
            text += ' class="light"'
        return text + "/>"

    def mass(self):
        rng = self.rng
        if rng.random() < 0.5:
            return [self.geom() for _ in range(rng.integers(1, 4))]
        m = rng.uniform(0.2, 3)
        B = rng.normal(size=(3, 6)) * 0.2
        C = m * B @ B.T
        J = np.trace(C) * np.eye(3) - C
        if rng.random() < 0.5:
            J = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
            return [f'<inertial pos="{numbers(rng.normal(size=3) * 0.2)}" mass="{numbers(m)}" fullinertia="{numbers(J)}"/>']
        return [f'<inertial {self.pose()} mass="{numbers(m)}" diaginertia="{numbers(np.linalg.eigvalsh(J))}"/>']

    def body(self, depth):
        rng = self.rng
        name = f"b{len(self.bodies)}"
        self.bodies.append(name)
        extra = f' gravcomp="{numbers(rng.uniform(0, 1))}"' if rng.random() < 0.15 else ""
        inside = self.chain(depth == 0) + self.mass()
        site = f"s{len(self.sites)}"
        self.sites.append(site)
        inside.append(f'<site name="{site}" {self.pose()}/>')
        for _ in range(rng.integers(0, 3) if depth < 4 else 0):
            child = self.body(depth + 1)
            if rng.random() < 0.3:
                child = f"<frame {self.pose()}>{child}</frame>"
            inside.append(child)
        return f'<body name="{name}" {self.pose()}{extra}>' + "\n".join(inside) + "</body>"

    def text(self):
        rng = self.rng
        sequence = "".join(rng.choice(list("xyzXYZ"), size=3))
        world = "\n".join(self.body(0) for _ in range(rng.integers(1, 3)))
        pick = lambda names: names[rng.integers(len(names))]
        tendons, actuators, equality = [], [], []
        if self.joints:
            tendons.append(f'<fixed name="sum">' + "".join(f'<joint joint="{n}" coef="{numbers(rng.normal())}"/>' for n in dict.fromkeys([pick(self.joints), pick(self.joints)])) + "</fixed>")
            tendons.append(f'<fixed name="one" stiffness="3" damping="0.2"><joint joint="{pick(self.joints)}" coef="1.7"/></fixed>')
            actuators += [
                f'<motor name="m" joint="{pick(self.joints)}" gear="3"/>',
                f'<position name="p" joint="{pick(self.joints)}" kp="5" kv="0.3" gear="-2"/>',
                f'<velocity name="v" joint="{pick(self.joints)}" kv="2"/>',
                f'<general name="g" joint="{pick(self.joints)}" gainprm="2" biastype="affine" biasprm="1.5 -2 -0.1" ctrlrange="0.3 1" ctrllimited="true"/>',
                '<motor name="ts" tendon="sum" gear="2" ctrlrange="0.5 1" ctrllimited="true"/>',
                '<position name="to" tendon="one" kp="2"/>',
            ]
            if self.equalities and len(self.joints) > 1:
                a, b = rng.choice(self.joints, size=2, replace=False)
                equality.append(f'<joint joint1="{a}" joint2="{b}" polycoef="0 {numbers(rng.normal())} 0 0 0"/>')
        if len(self.sites) > 1:
            tendons.append(f'<spatial name="line" stiffness="4" damping="0.5"><site site="{self.sites[0]}"/><site site="{self.sites[-1]}"/></spatial>')
            actuators.append('<general name="pull" tendon="line" biastype="affine" biasprm="1 -1 0"/>')
        actuators.append(f'<motor name="jet" site="{pick(self.sites)}" gear="{numbers(rng.normal(size=6))}" ctrlrange="1 2" ctrllimited="true"/>')
        if self.equalities and len(self.bodies) > 2 and rng.random() < 0.7:
            a, b = rng.choice(self.bodies, size=2, replace=False)
            kind = "connect" if rng.random() < 0.6 else "weld"
            anchor = f'anchor="{numbers(rng.normal(size=3) * 0.2)}"' if kind == "connect" else ""
            equality.append(f'<{kind} body1="{a}" body2="{b}" {anchor}/>')
        return f"""<mujoco model="random">
<compiler angle="{'radian' if self.radian else 'degree'}" eulerseq="{sequence}" autolimits="true"/>
<option gravity="{numbers(rng.normal(size=3) * 5)}"/>
<default><geom density="800"/><default class="light"><geom density="150"/></default></default>
<worldbody>{world}</worldbody>
<tendon>{chr(10).join(tendons)}</tendon>
<equality>{chr(10).join(equality)}</equality>
<actuator>{chr(10).join(actuators)}</actuator>
</mujoco>"""
