// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/* The charts of the panel, with their values for a frame and for a recording. */
import { isMovable, reachOf } from "./bodies";
import { Chart, type ChartOptions } from "./charts";
import { el, say } from "./dom";
import { Figure } from "./figure";
import { countModes } from "./legend";
import type { Frame, SceneMessage } from "./protocol";
import type { Recording } from "./replay";

const RESIDUAL_FLOOR = 1e-4; // of the tolerance

const one = (label: string) => [{ label, colour: "--line" }];

const OPTIONS = {
    kinetic: {
        label: "Kinetic energy",
        unit: "J",
        axis: "kinetic energy / J",
        lines: [
            { label: "kinetic", colour: "--line" },
            { label: "translation", colour: "--accent" },
            { label: "rotation", colour: "--third" },
        ],
        fromZero: true,
        floor: 1e-9,
        tip: "of all bodies: translation of their centres of mass, and rotation",
    },
    energy: {
        label: "Energy",
        unit: "J",
        axis: "energy / J; gravity and total from the start",
        lines: [
            { label: "total", colour: "--line" },
            { label: "translation", colour: "--accent" },
            { label: "rotation", colour: "--third" },
            { label: "gravity", colour: "--slides" },
            { label: "springs", colour: "--apart" },
        ],
        floor: 1e-9,
        tip: "kinetic (translation, rotation) and potential (gravity, springs of joints)",
    },
    contacts: {
        label: "Contacts",
        unit: "",
        axis: "contacts",
        lines: [
            { label: "all", colour: "--line" },
            { label: "sticking", colour: "--sticks" },
            { label: "sliding", colour: "--slides" },
            { label: "open", colour: "--apart" },
        ],
        fromZero: true,
        floor: 1,
        tip: "in the last step",
    },
    penetration: {
        label: "Penetration",
        unit: "%",
        axis: "deepest penetration / % of a body's size",
        lines: one("deepest"),
        fromZero: true,
        floor: 1e-3,
        tip: "deepest overlap at the start of the last step, and in % of a typical body's size",
    },
    residual: {
        label: "Residual",
        unit: "",
        axis: "relative residual",
        lines: [
            { label: "residual", colour: "--line" },
            { label: "tolerance of the step", colour: "--muted", dashed: true },
        ],
        log: true,
        floor: 1e-16,
        tip: "how well the last step solves its contact problem; dashed: the tolerance of the step",
    },
    cost: {
        label: "Step time",
        unit: "ms",
        axis: "time of a step / ms",
        lines: [
            { label: "whole step", colour: "--line" },
            { label: "collide", colour: "--third" },
            { label: "assemble", colour: "--apart" },
            { label: "solve", colour: "--slides" },
            { label: "advance", colour: "--accent" },
        ],
        fromZero: true,
        floor: 1e-3,
        tip: "computing time of a step; dashed: real time",
    },
} satisfies Record<string, ChartOptions>;

type Name = keyof typeof OPTIONS;

const gravityOf = ({ potential, springs }: Frame): number => potential - springs;

export class Figures {
    readonly dialog = new Figure();
    private readonly charts = Object.fromEntries(
        Object.entries(OPTIONS).map(([name, options]) => [
            name,
            new Chart({ ...options }, (chart) => this.dialog.open(chart)),
        ]),
    ) as Record<Name, Chart>;
    readonly element = el(
        "div",
        { class: "charts" },
        ...Object.values(this.charts).map((chart) => chart.element),
    );
    private lastTime = -Infinity;
    private gravity = 0; // potential energy at the start
    private bodySize = 1; // m
    private tolerance = 1e-8; // of the scene

    /** A typical size of its bodies: the median diameter. */
    setScene(scene: SceneMessage, replay: boolean): void {
        const sizes = scene.shapes
            .filter(({ body, layer }) => layer !== 0 && isMovable(scene.bodies[body]))
            .map((shape) => 2 * reachOf(shape))
            .sort((a, b) => a - b);
        this.bodySize = sizes[sizes.length >> 1] || 1;
        const { options } = this.charts.penetration;
        options.axis = `${OPTIONS.penetration.axis} (1 % is ${say(10 * this.bodySize)} mm)`;
        this.charts.cost.element.hidden = replay;
    }

    setTolerance(tolerance: number): void {
        this.tolerance = tolerance;
    }

    setRealTime(milliseconds: number): void {
        this.charts.cost.setReference(milliseconds);
    }

    restart(): void {
        this.lastTime = -Infinity;
        for (const chart of Object.values(this.charts)) chart.clear();
    }

    /** The values of the lines of each chart at a frame. */
    private valuesOf(frame: Frame): Record<Name, number[]> {
        const gravity = gravityOf(frame) - this.gravity;
        const [open, sticking, sliding] = countModes(frame);
        const { milliseconds, phases, kinetic, rotation, springs } = frame;
        const kinds = [kinetic - rotation, rotation];
        const tolerance = frame.tolerance || this.tolerance;
        return {
            kinetic: [kinetic, ...kinds],
            energy: [kinetic + gravity + springs, ...kinds, gravity, springs],
            contacts: [frame.touching, sticking, sliding, open],
            penetration: [(100 * frame.penetration) / this.bodySize],
            // Rounding errors far below the tolerance are drawn as one level.
            residual: [Math.max(frame.residual, RESIDUAL_FLOOR * tolerance), tolerance],
            cost: [milliseconds, ...phases],
        };
    }

    setRecording(recording: Recording): void {
        const { times } = recording;
        const names = Object.keys(this.charts) as Name[];
        const columns = new Map(
            names.map((name) => [
                name,
                OPTIONS[name].lines.map(() => new Float64Array(times.length)),
            ]),
        );
        this.gravity = gravityOf(recording.frameAt(0));
        for (let k = 0; k < times.length; ++k) {
            const values = this.valuesOf(recording.frameAt(k));
            for (const name of names)
                values[name].forEach((value, line) => {
                    (columns.get(name) as Float64Array[])[line][k] = value;
                });
        }
        for (const name of names)
            this.charts[name].setWhole(times, columns.get(name) as Float64Array[]);
    }

    sample(frame: Frame): void {
        if (frame.time < this.lastTime) this.restart();
        if (frame.time > this.lastTime) {
            if (this.lastTime === -Infinity) this.gravity = gravityOf(frame);
            const values = this.valuesOf(frame);
            for (const name of Object.keys(values) as Name[])
                this.charts[name].push(frame.time, values[name]);
        }
        this.lastTime = frame.time;
    }

    /** The text beside the label of a chart. */
    private shownOf(name: Name, value: number, frame: Frame): [number, string?] {
        if (name === "energy") return [frame.kinetic + frame.potential];
        if (name === "residual") return [frame.residual];
        if (name !== "penetration") return [value];
        const millimetres = 1000 * frame.penetration;
        const isNoise = value < 1e-6 * OPTIONS.penetration.floor;
        const two = (x: number) => say(Number(x.toPrecision(2))); // both fit into the panel
        return [value, isNoise ? "0 mm" : `${two(millimetres)} mm (${two(value)} %)`];
    }

    /** In a replay `part` is the position, from 0 to 1. */
    draw(frame: Frame, part: number | null): void {
        const values = this.valuesOf(frame);
        for (const name of Object.keys(values) as Name[]) {
            const chart = this.charts[name];
            chart.show(...this.shownOf(name, values[name][0], frame));
            if (part !== null) chart.setCursor(part);
            chart.draw();
        }
        this.dialog.draw();
    }
}
