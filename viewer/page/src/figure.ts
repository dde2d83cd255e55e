// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/* A large chart: all lines, axes, units and a legend; drawn while it is open. */
import { drawDashed, drawDashes, rangeOfAll, type Chart } from "./charts";
import { el, iconButton, say } from "./dom";

const LEFT = 74; // pixels for the labels of the axes
const BELOW = 42;
const ABOVE = 12;
const RIGHT = 16;

/** Round numbers between two, about `count` of them. */
export function ticksOf(least: number, most: number, count: number): number[] {
    const rough = (most - least) / Math.max(1, count);
    if (!(rough > 0)) return [least];
    const power = 10 ** Math.floor(Math.log10(rough));
    const digit = rough / power;
    const step = power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
    const first = Math.ceil(least / step - 1e-9);
    const last = Math.floor(most / step + 1e-9);
    return Array.from({ length: last - first + 1 }, (_, k) =>
        Number(((first + k) * step).toPrecision(12)),
    );
}

/** Decades between two logarithms. */
export function decadesOf(least: number, most: number): number[] {
    const every = Math.max(1, Math.ceil((most - least) / 8));
    const first = Math.ceil(least / every) * every;
    const length = Math.max(0, Math.floor((most - first) / every) + 1);
    return Array.from({ length }, (_, k) => first + k * every);
}

export class Figure {
    readonly element: HTMLDialogElement;
    private readonly canvas = el("canvas", { class: "figure-canvas" });
    private readonly heading = el("h2", {});
    private readonly legend = el("div", { class: "figure-legend" });
    private chart: Chart | null = null;

    constructor() {
        const close = iconButton("close", "Close", () => this.element.close());
        this.element = el(
            "dialog",
            { class: "figure", "aria-label": "Chart" },
            el("div", { class: "card-head" }, this.heading, close),
            this.canvas,
            this.legend,
        );
        this.element.addEventListener("click", (event) => {
            if (event.target === this.element) this.element.close();
        });
        this.element.addEventListener("close", () => {
            this.chart = null;
        });
    }

    open(chart: Chart): void {
        this.chart = chart;
        const { label, tip, lines } = chart.options;
        this.heading.textContent = label;
        this.heading.title = tip;
        const entries = lines.map(({ label: name, colour }) => {
            const dot = el("span", { class: "dot" });
            dot.style.background = `var(${colour})`;
            return el("span", { class: "legend-row" }, dot, name);
        });
        this.legend.replaceChildren(...entries);
        this.element.showModal();
        this.draw();
    }

    /** Called whenever the panel is drawn. */
    draw(): void {
        const { chart, canvas } = this;
        if (!chart) return;
        const ratio = Math.min(2, devicePixelRatio);
        const [width, height] = [canvas.clientWidth, canvas.clientHeight];
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
        const context = canvas.getContext("2d");
        if (!context || chart.used < 2) return;
        context.scale(ratio, ratio);
        const style = getComputedStyle(canvas);
        context.font = `12px ${style.fontFamily}`;
        const { log, fromZero } = chart.options;
        const lines = chart.lines;
        const range = rangeOfAll(lines, 0, chart.used, fromZero === true, chart.axisFloor);
        const [start, end] = [chart.times[0], chart.times[chart.used - 1]];
        const x = (time: number) =>
            LEFT + ((time - start) / Math.max(end - start, 1e-12)) * (width - LEFT - RIGHT);
        const y = (value: number) =>
            height -
            BELOW -
            ((value - range[0]) / (range[1] - range[0])) * (height - BELOW - ABOVE);
        this.axes(context, style, x, y, [start, end], range, log === true, width, height);
        if (chart.reference !== null && chart.reference > range[0] && chart.reference < range[1])
            drawDashes(context, y(chart.reference), LEFT, width - RIGHT, style);
        lines.forEach((values, k) => {
            if (chart.options.lines[k].dashed) {
                const at = (i: number) => x(chart.times[i]);
                drawDashed(context, values, at, y, 0, chart.used, style);
                return;
            }
            context.beginPath();
            for (let i = 0; i < chart.used; ++i) context.lineTo(x(chart.times[i]), y(values[i]));
            context.strokeStyle = style.getPropertyValue(chart.options.lines[k].colour);
            context.lineWidth = k === 0 ? 2 : 1.5;
            context.lineJoin = "round";
            context.stroke();
        });
        if (chart.cursor !== null) {
            context.fillStyle = style.getPropertyValue("--accent");
            const at = LEFT + chart.cursor * (width - LEFT - RIGHT);
            context.fillRect(at, ABOVE, 1.5, height - BELOW - ABOVE);
        }
    }

    private axes(
        context: CanvasRenderingContext2D,
        style: CSSStyleDeclaration,
        x: (time: number) => number,
        y: (value: number) => number,
        [start, end]: number[],
        [least, most]: number[],
        log: boolean,
        width: number,
        height: number,
    ): void {
        const text = style.getPropertyValue("--muted");
        const edge = style.getPropertyValue("--edge");
        context.lineWidth = 1;
        context.strokeStyle = edge;
        context.fillStyle = text;
        context.textBaseline = "middle";
        context.textAlign = "right";
        const values = log ? decadesOf(least, most) : ticksOf(least, most, height / 70);
        for (const value of values) {
            context.beginPath();
            context.moveTo(LEFT, y(value));
            context.lineTo(width - RIGHT, y(value));
            context.stroke();
            context.fillText(log ? `1e${value}`.replace("-", "−") : say(value), LEFT - 8, y(value));
        }
        context.textAlign = "center";
        context.textBaseline = "top";
        for (const time of ticksOf(start, end, width / 110))
            context.fillText(say(time), x(time), height - BELOW + 6);
        context.fillText("time / s", (LEFT + width - RIGHT) / 2, height - 16);
        context.save();
        context.translate(10, (ABOVE + height - BELOW) / 2);
        context.rotate(-Math.PI / 2);
        context.fillText(this.chart?.options.axis ?? "", 0, 0);
        context.restore();
        context.strokeStyle = text;
        context.strokeRect(LEFT, ABOVE, width - LEFT - RIGHT, height - BELOW - ABOVE);
    }
}
