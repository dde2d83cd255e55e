// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * The panel at the side: state, settings and display options of the simulation. Commands go to
 * `command`; the program's answers arrive through show().
 */
import { count, el, returnFocus, say } from "./dom";
import { Figures } from "./figures";
import { actuatorText, Readings } from "./readings";
import { rangeText, slider, Targets, type Row } from "./sliders";
import type {
    ActuatorInfo,
    Frame,
    JointInfo,
    ParameterInfo,
    SceneMessage,
    Settings,
    Command,
} from "./protocol";

export const TOGGLES = [
    { name: "contacts", label: "Contacts", key: "c", tip: "mark the contact points" },
    { name: "forces", label: "Forces", key: "f", tip: "draw contact forces as arrows" },
    {
        name: "log",
        label: "Log scale",
        key: "l",
        tip: "logarithmic lengths of the arrows",
    },
    { name: "cones", label: "Cones", key: "v", tip: "draw the friction cones" },
    { name: "joints", label: "Joints", key: "j", tip: "mark anchors and axes of joints" },
    { name: "glass", label: "See-through", key: "x", tip: "make bodies transparent" },
    {
        name: "collision",
        label: "Collision shapes",
        key: "k",
        tip: "draw collision shapes instead of visual shapes",
    },
    {
        name: "shadows",
        label: "Cast shadows",
        key: "s",
        tip: "shadows between bodies; turned off automatically if rendering is slow",
    },
] as const;

export type ToggleName = (typeof TOGGLES)[number]["name"];

const TOLERANCES = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12];

export interface PanelEvents {
    command(command: Command): void;
    toggle(name: ToggleName): void;
    arrowSize(size: number): void;
    threshold(part: number): void;
}

function section(title: string, open: boolean, ...children: Node[]): HTMLDetailsElement {
    return el(
        "details",
        { class: "section", open },
        el("summary", {}, title),
        el("div", { class: "section-body" }, ...children),
    );
}

const UNITS = { position: ["m", "rad"], velocity: ["m/s", "rad/s"], effort: ["N", "N m"] } as const;

const unitOf = (kind: keyof typeof UNITS, turns: boolean): string => UNITS[kind][turns ? 1 : 0];

export class Panel {
    readonly element: HTMLElement;
    readonly figures = new Figures();
    private readonly time = el("span", { class: "time" }, "0.00");
    private readonly pace = el("span", { class: "pace" });
    private readonly unsolved = el("p", { class: "unsolved", hidden: true });
    private readonly sceneSelect = el("select", { "aria-label": "Scene" });
    private readonly parameters = el("div", { class: "rows" });
    private readonly methodSelect = el("select", { "aria-label": "Method" });
    private readonly toleranceSelect = el("select", { "aria-label": "Tolerance" });
    private readonly stepInput = el("input", {
        type: "number",
        min: 0.01,
        step: "any",
        "aria-label": "Step in milliseconds",
    });
    private readonly gravity: Row;
    private readonly friction: Row;
    private readonly frictionReset: HTMLButtonElement;
    private readonly joints = new Targets();
    private readonly actuators = new Targets();
    private readonly sensors = new Readings();
    private readonly sections: Record<
        "scene" | "solver" | "world" | "joints" | "actuators" | "sensors",
        HTMLDetailsElement
    >;
    private readonly chips = new Map<ToggleName, HTMLButtonElement>();
    private scene: SceneMessage | null = null;
    private lastDraw = 0;

    constructor(private readonly events: PanelEvents) {
        const { command } = events;
        this.gravity = slider("Gravity", "strength", 0, 20, "m/s²", (value) => {
            this.gravity.value.textContent = say(value);
            command({ do: "set", gravity: value });
        });
        this.friction = slider(
            "Friction",
            "one coefficient for all surfaces, instead of the scene's",
            0,
            1.5,
            "",
            (value) => {
                this.friction.value.textContent = say(value);
                command({ do: "set", friction: value });
            },
        );
        this.frictionReset = el(
            "button",
            {
                type: "button",
                class: "text-button",
                onclick: () => command({ do: "set", friction: null }),
            },
            "friction as in the scene",
        );
        this.listen();
        this.sections = {
            scene: section(
                "Scene",
                true,
                el(
                    "label",
                    { class: "row" },
                    el("span", { class: "row-label" }, "Scene"),
                    this.sceneSelect,
                ),
                this.parameters,
            ),
            world: section(
                "World",
                true,
                this.gravity.element,
                this.friction.element,
                this.frictionReset,
            ),
            solver: section("Solver", true, ...this.solverRows()),
            joints: section("Joints", true, this.joints.element),
            actuators: section("Actuators", true, this.actuators.element),
            sensors: section("Sensors", true, this.sensors.element),
        };
        const status = el(
            "div",
            { class: "status" },
            el("div", { class: "clock" }, this.time, el("span", { class: "unit" }, "s"), this.pace),
            this.unsolved,
        );
        this.element = el(
            "aside",
            { class: "panel", "aria-label": "Simulation" },
            status,
            this.figures.element,
            section("Show", true, this.toggleRows()),
            this.sections.actuators,
            this.sections.sensors,
            this.sections.scene,
            this.sections.joints,
            this.sections.world,
            this.sections.solver,
        );
    }

    private listen(): void {
        const { command } = this.events;
        for (const select of [this.sceneSelect, this.methodSelect, this.toleranceSelect])
            returnFocus(select);
        this.sceneSelect.addEventListener("change", () =>
            command({ do: "scene", name: this.sceneSelect.value, set: {} }),
        );
        this.methodSelect.addEventListener("change", () =>
            command({ do: "set", method: this.methodSelect.value }),
        );
        this.toleranceSelect.addEventListener("change", () =>
            command({ do: "set", tolerance: Number(this.toleranceSelect.value) }),
        );
        this.stepInput.addEventListener("change", () => {
            const value = Number(this.stepInput.value) / 1000;
            if (value > 0) command({ do: "set", step: value });
        });
    }

    private solverRows(): HTMLElement[] {
        const row = (label: string, tip: string, input: HTMLElement) =>
            el(
                "label",
                { class: "row", title: tip },
                el("span", { class: "row-label" }, label),
                input,
            );
        return [
            row("Method", "moreau solvers describes each method", this.methodSelect),
            row("Step, ms", "length of a time step", this.stepInput),
            row("Tolerance", "on the relative residual of a step", this.toleranceSelect),
        ];
    }

    private toggleRows(): HTMLElement {
        const chips = TOGGLES.map(({ name, label, key, tip }) => {
            const title = `${tip} (${key})`;
            const chip = el(
                "button",
                {
                    type: "button",
                    class: "chip",
                    "aria-pressed": "false",
                    title,
                    onclick: () => this.events.toggle(name),
                },
                label,
            );
            this.chips.set(name, chip);
            return chip;
        });
        const size = slider("Arrows", "size of arrows and cones", -1, 1, "", (value) => {
            size.value.textContent = `× ${say(10 ** value)}`;
            this.events.arrowSize(10 ** value);
        });
        size.input.value = "0";
        size.value.textContent = "× 1";
        size.note.textContent = "size of arrows and cones, 0.1 to 10";
        const least = slider(
            "Threshold",
            "forces below this part of the largest one are not shown",
            0,
            50,
            "%",
            (percent) => {
                least.value.textContent = `${say(percent)} %`;
                this.events.threshold(percent / 100);
            },
        );
        least.input.value = "1";
        least.value.textContent = "1 %";
        least.note.textContent = "hide forces below this part of the largest";
        const rows = [size.element, least.element];
        return el("div", {}, el("div", { class: "chips" }, ...chips), ...rows);
    }

    setToggle(name: ToggleName, on: boolean): void {
        this.chips.get(name)?.setAttribute("aria-pressed", String(on));
    }

    // ---- the scene ------------------------------------------------------------------------------

    showScene(scene: SceneMessage, replay: boolean): void {
        const before = this.scene;
        this.scene = scene;
        this.sections.scene.hidden = replay || scene.scenes.length === 0;
        this.sections.solver.hidden = this.sections.world.hidden = replay;
        this.figures.setScene(scene, replay);
        const anew =
            before?.name !== scene.name ||
            JSON.stringify(before.set) !== JSON.stringify(scene.set) ||
            before.scenes.length !== scene.scenes.length;
        if (anew) {
            this.sceneSelect.replaceChildren(
                ...scene.scenes.map(({ name, summary }) =>
                    el("option", { value: name, title: summary }, name),
                ),
            );
            this.sceneSelect.value = scene.name;
            this.showParameters(scene);
        }
        this.showJoints(scene.joints, replay);
        this.showActuators(scene.actuators, replay);
        this.sections.sensors.hidden = !this.sensors.show(scene.readings);
        const methods = scene.methods.includes(scene.method)
            ? scene.methods
            : [scene.method, ...scene.methods];
        this.methodSelect.replaceChildren(
            ...methods.map((name) => el("option", { value: name }, name)),
        );
        this.showSettings(scene);
    }

    private showParameters(scene: SceneMessage): void {
        const parameters = scene.scenes.find(({ name }) => name === scene.name)?.parameters ?? [];
        const values = Object.fromEntries(
            parameters.map((parameter) => [
                parameter.name,
                scene.set[parameter.name] ?? parameter.value,
            ]),
        );
        const build = () => this.events.command({ do: "scene", name: scene.name, set: values });
        this.parameters.replaceChildren(
            ...parameters.map((parameter) => this.parameterRow(parameter, values, build)),
        );
    }

    private parameterRow(
        parameter: ParameterInfo,
        values: Record<string, number>,
        build: () => void,
    ): HTMLElement {
        const { name, least, most, whole, summary } = parameter;
        const tip = `${summary} (${say(least)} to ${say(most)})`;
        const input = el("input", {
            type: "number",
            min: least,
            max: most,
            step: whole ? 1 : "any",
            value: values[name],
            "aria-label": summary || name,
        });
        input.addEventListener("change", () => {
            const value = Number(input.value);
            if (input.value === "" || !Number.isFinite(value)) return;
            values[name] = Math.min(most, Math.max(least, whole ? Math.round(value) : value));
            input.value = String(values[name]);
            build();
        });
        return el(
            "label",
            { class: "row", title: tip },
            el("span", { class: "row-label" }, name),
            input,
            el("span", { class: "row-note" }, tip),
        );
    }

    private showJoints(joints: JointInfo[], replay: boolean): void {
        const driven = replay ? [] : joints.filter((joint) => joint.drive !== "none");
        this.sections.joints.hidden = driven.length === 0;
        this.joints.show(
            driven.map((joint) => {
                const unit = unitOf(
                    joint.drive === "velocity" ? "velocity" : "position",
                    joint.kind !== "prismatic",
                );
                return {
                    name: this.scene?.bodies[joint.b]?.name || `${joint.kind} ${joint.index + 1}`,
                    tip: `${joint.drive} of the ${joint.kind} joint, ${unit}`,
                    unit,
                    least: joint.least,
                    most: joint.most,
                    value: joint.target,
                    send: (target) =>
                        this.events.command({ do: "joint", index: joint.index, target }),
                };
            }),
        );
    }

    private showActuators(actuators: ActuatorInfo[], replay: boolean): void {
        this.sections.actuators.hidden = actuators.length === 0;
        this.sections.actuators.classList.toggle("recorded", replay);
        this.actuators.show(
            actuators.map(({ name, kind, turns, lower, upper, target }, index) => ({
                name,
                tip: `${name}: target ${kind}, ${rangeText(lower, upper, unitOf(kind, turns))}`,
                unit: unitOf(kind, turns),
                least: lower,
                most: upper,
                value: target,
                send: (value) => this.events.command({ do: "target", index, value }),
            })),
        );
    }

    /** Shows the settings of the program, except the input that the user is changing. */
    showSettings(settings: Partial<Settings>): void {
        const free = (input: HTMLElement) => document.activeElement !== input;
        if (settings.method !== undefined) this.methodSelect.value = settings.method;
        if (settings.step !== undefined) {
            if (free(this.stepInput))
                this.stepInput.value = String(Number((1000 * settings.step).toPrecision(6)));
            if (this.scene) this.scene.step = settings.step;
        }
        if (settings.tolerance !== undefined) this.showTolerance(settings.tolerance);
        if (settings.gravity !== undefined) this.showGravity(Math.hypot(...settings.gravity));
        if (settings.friction !== undefined) this.showFriction(settings.friction);
        if (settings.step !== undefined || settings.speed !== undefined) {
            const step = settings.step ?? this.scene?.step ?? 0;
            this.figures.setRealTime((1000 * step) / (settings.speed ?? 1));
        }
    }

    private showTolerance(tolerance: number): void {
        const near = (value: number) => Math.abs(value - tolerance) < 1e-6 * tolerance;
        const values = TOLERANCES.some(near)
            ? TOLERANCES
            : [...TOLERANCES, tolerance].sort((a, b) => b - a);
        this.toleranceSelect.replaceChildren(
            ...values.map((value) =>
                el(
                    "option",
                    { value, selected: near(value) },
                    value.toExponential().replace("e-", "e−"),
                ),
            ),
        );
        this.figures.setTolerance(tolerance);
    }

    private showGravity(strength: number): void {
        if (strength > Number(this.gravity.input.max))
            this.gravity.input.max = String(2 * strength);
        if (document.activeElement !== this.gravity.input)
            this.gravity.input.value = String(strength);
        this.gravity.value.textContent = say(strength);
        this.gravity.note.textContent = rangeText(0, Number(this.gravity.input.max), "m/s²");
    }

    private showFriction(mu: number | null): void {
        this.frictionReset.hidden = mu === null;
        this.friction.element.classList.toggle("unset", mu === null);
        if (mu !== null && document.activeElement !== this.friction.input)
            this.friction.input.value = String(mu);
        this.friction.value.textContent = mu === null ? "scene" : say(mu);
    }

    // ---- frames ---------------------------------------------------------------------------------

    /**
     * Updates numbers and charts, at most ten times a second; in a replay `part` is the position.
     */
    draw(frame: Frame, now: number, part: number | null): void {
        if (now - this.lastDraw < 100) return;
        this.lastDraw = now;
        this.time.textContent = frame.time.toFixed(2);
        this.pace.textContent =
            frame.rate > 0 ? `${frame.rate.toFixed(frame.rate >= 10 ? 0 : 2)} × real time` : "";
        this.unsolved.hidden = frame.unsolved === 0;
        const unsolved = `${count(frame.unsolved)} of ${count(frame.steps)} steps`;
        this.unsolved.textContent = `${unsolved} did not reach the tolerance`;
        this.figures.draw(frame, part);
        if (!this.scene) return;
        const { actuators, readings } = this.scene;
        this.actuators.read(actuators.map((one) => actuatorText(one, readings, frame)));
        this.sensors.draw(frame);
    }
}
