// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * Charts over time: the last part of a live scene, or a whole recording with a cursor. The panel
 * shows small charts with the first line; a click opens a large one with all lines, axes and units
 * (figure.ts).
 */
import { el, say } from "./dom";

const SAMPLES = 1500; // of a live chart; the small one shows the last SMALL
const SMALL = 300;

export interface Line {
    label: string;
    colour: string; // a property of style.css
    dashed?: boolean; // a reference for the first line; also in the small chart
}

export interface ChartOptions {
    label: string;
    unit: string;
    axis: string; // of the large chart
    lines: Line[];
    log?: boolean;
    fromZero?: boolean;
    floor: number; // in the unit: smaller variations are noise and not drawn
    tip: string;
}

/**
 * The smallest and the largest finite number, with a margin. The range is not smaller than the
 * floor, so that noise does not fill a chart.
 */
export function rangeOf(
    values: ArrayLike<number>,
    from: number,
    to: number,
    fromZero: boolean,
    floor = 1e-12,
): [number, number] {
    let least = Infinity;
    let most = -Infinity;
    for (let k = from; k < to; ++k) {
        if (!Number.isFinite(values[k])) continue;
        least = Math.min(least, values[k]);
        most = Math.max(most, values[k]);
    }
    if (least > most) return [0, 1];
    if (fromZero) least = Math.min(0, least);
    // Frames have single precision: smaller variations are constant.
    const size = Math.max(Math.abs(most), Math.abs(least));
    const varies = most - least > Math.max(1e-6 * size, floor);
    const room = varies ? 0.08 * (most - least) : Math.max(0.1 * size, floor);
    return [fromZero && least === 0 ? 0 : least - room, most + room];
}

/** The union of the ranges of some lines. */
export function rangeOfAll(
    lines: ArrayLike<number>[],
    from: number,
    to: number,
    fromZero: boolean,
    floor: number,
): [number, number] {
    const ranges = lines.map((values) => rangeOf(values, from, to, fromZero, floor));
    return [Math.min(...ranges.map(([low]) => low)), Math.max(...ranges.map(([, high]) => high))];
}

export class Chart {
    readonly element: HTMLElement;
    private readonly canvas = el("canvas", { class: "chart-canvas", "aria-hidden": "true" });
    private readonly value = el("span", { class: "chart-value" }, "–");
    times: Float64Array = new Float64Array(SAMPLES);
    lines: Float64Array[];
    used = 0;
    cursor: number | null = null; // 0 to 1, in a recording
    reference: number | null = null; // scaled

    constructor(
        readonly options: ChartOptions,
        open: (chart: Chart) => void,
    ) {
        this.lines = options.lines.map(() => new Float64Array(SAMPLES));
        const name = el("span", { class: "chart-label" }, options.label);
        this.element = el(
            "button",
            {
                type: "button",
                class: "chart",
                title: `${options.tip}; click for a large chart`,
                "aria-label": `${options.label}: open a large chart`,
                onclick: () => open(this),
            },
            el("span", { class: "chart-head" }, name, this.value),
            this.canvas,
        );
    }

    clear(): void {
        this.used = 0;
    }

    push(time: number, values: number[]): void {
        if (this.used === this.times.length) {
            const rest = Math.floor(this.used / 4); // a quarter is dropped at once
            for (const list of [this.times, ...this.lines]) list.copyWithin(0, rest);
            this.used -= rest;
        }
        this.times[this.used] = time;
        values.forEach((value, k) => (this.lines[k][this.used] = this.scaled(value)));
        this.used++;
    }

    /** All of a recording. */
    setWhole(times: Float64Array, columns: Float64Array[]): void {
        this.times = times;
        this.lines = columns.map((column) => column.map((value) => this.scaled(value)));
        this.used = times.length;
    }

    setCursor(part: number): void {
        this.cursor = part;
    }

    /** A dashed reference line. */
    setReference(value: number | null): void {
        this.reference = value === null ? null : this.scaled(value);
    }

    /** The number beside the label; `words` if it is not the value in its unit. */
    show(value: number, words?: string): void {
        const shown = !this.options.log && Math.abs(value) < 1e-6 * this.options.floor ? 0 : value;
        const text =
            words ?? (this.options.unit ? `${say(shown)} ${this.options.unit}` : say(shown));
        if (this.value.textContent !== text) this.value.textContent = text;
    }

    private scaled(value: number): number {
        return this.options.log ? Math.log10(Math.max(value, this.options.floor)) : value;
    }

    /** The lines of the small chart: the first one and its reference. */
    private get smallLines(): Float64Array[] {
        return this.lines.filter((_, k) => k === 0 || this.options.lines[k].dashed);
    }

    /** The floor on the axis: of a logarithm, a decade. */
    get axisFloor(): number {
        return this.options.log ? 1 : this.options.floor;
    }

    draw(): void {
        const ratio = Math.min(2, devicePixelRatio);
        const width = Math.round(this.canvas.clientWidth * ratio);
        const height = Math.round(this.canvas.clientHeight * ratio);
        if (width === 0) return; // folded away
        if (this.canvas.width !== width) this.canvas.width = width;
        if (this.canvas.height !== height) this.canvas.height = height;
        const context = this.canvas.getContext("2d");
        if (!context) return;
        context.clearRect(0, 0, width, height);
        const style = getComputedStyle(this.canvas);
        const from = this.cursor === null ? Math.max(0, this.used - SMALL) : 0;
        const fromZero = this.options.fromZero === true;
        const shown = this.smallLines;
        const [least, most] = rangeOfAll(shown, from, this.used, fromZero, this.axisFloor);
        const y = (value: number) => height - 1 - ((value - least) / (most - least)) * (height - 2);
        if (this.reference !== null && this.reference > least && this.reference < most)
            drawDashes(context, y(this.reference), 0, width, style);
        this.drawLine(context, y, from, width, height, ratio, style);
        for (const line of shown.slice(1)) {
            const x = (k: number) => ((k - from) / Math.max(1, this.used - 1 - from)) * width;
            drawDashed(context, line, x, y, from, this.used, style);
        }
        if (this.cursor !== null) {
            context.fillStyle = style.getPropertyValue("--accent");
            context.fillRect(this.cursor * (width - ratio), 0, ratio, height);
        }
    }

    private drawLine(
        context: CanvasRenderingContext2D,
        y: (value: number) => number,
        from: number,
        width: number,
        height: number,
        ratio: number,
        style: CSSStyleDeclaration,
    ): void {
        const count = this.used - from;
        if (count < 2) return;
        const x = (k: number) => ((k - from) / (count - 1)) * width;
        context.beginPath();
        for (let k = from; k < this.used; ++k) context.lineTo(x(k), y(this.lines[0][k]));
        context.strokeStyle = style.getPropertyValue("--line");
        context.lineWidth = 1.4 * ratio;
        context.lineJoin = "round";
        context.stroke();
        context.lineTo(width, height);
        context.lineTo(x(from), height);
        context.fillStyle = style.getPropertyValue("--line-fill");
        context.fill();
    }
}

/** A dashed line through values that change. */
export function drawDashed(
    context: CanvasRenderingContext2D,
    values: ArrayLike<number>,
    x: (k: number) => number,
    y: (value: number) => number,
    from: number,
    to: number,
    style: CSSStyleDeclaration,
): void {
    context.strokeStyle = style.getPropertyValue("--muted");
    context.lineWidth = 1;
    context.setLineDash([3, 4]);
    context.beginPath();
    for (let k = from; k < to; ++k) context.lineTo(x(k), y(values[k]));
    context.stroke();
    context.setLineDash([]);
}

export function drawDashes(
    context: CanvasRenderingContext2D,
    y: number,
    left: number,
    right: number,
    style: CSSStyleDeclaration,
): void {
    context.strokeStyle = style.getPropertyValue("--muted");
    context.setLineDash([3, 4]);
    context.beginPath();
    context.moveTo(left, y);
    context.lineTo(right, y);
    context.stroke();
    context.setLineDash([]);
}
