// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * The view as the end of an address:
 * #scene=beads&set=count:600,mu:0.3&camera=...&show=contacts,forces&theme=dark
 */

export interface View {
    scene: string;
    set: Record<string, number>;
    camera: number[];
    show: string[];
    theme: string;
    time: number | null; // of a replay
    quality: string;
}

const short = (x: number): string => String(Number(x.toPrecision(5)));

export function writeView(view: Partial<View>): string {
    const parts: string[] = [];
    if (view.scene) parts.push(`scene=${encodeURIComponent(view.scene)}`);
    const set = Object.entries(view.set ?? {});
    if (set.length > 0)
        parts.push(
            `set=${set.map(([name, value]) => `${encodeURIComponent(name)}:${value}`).join(",")}`,
        );
    if (view.camera?.length) parts.push(`camera=${view.camera.map(short).join(",")}`);
    if (view.show) parts.push(`show=${view.show.join(",")}`);
    if (view.theme) parts.push(`theme=${view.theme}`);
    if (view.time !== undefined && view.time !== null) parts.push(`t=${short(view.time)}`);
    return parts.length > 0 ? `#${parts.join("&")}` : "";
}

/** Reads the hash; parts that are not valid are left out. */
export function readView(hash: string): Partial<View> {
    const view: Partial<View> = {};
    for (const part of hash.replace(/^#/, "").split("&")) {
        const [name, value = ""] = part.split(/=(.*)/s);
        let text = value;
        try {
            text = decodeURIComponent(value);
        } catch {
            continue;
        }
        if (name === "scene") view.scene = text;
        else if (name === "set") view.set = readSet(value);
        else if (name === "camera") {
            const camera = text.split(",").map(Number);
            if (camera.length === 7 && camera.every(Number.isFinite)) view.camera = camera;
        } else if (name === "show") view.show = text.split(",").filter((word) => word !== "");
        else if (name === "theme" && (text === "light" || text === "dark")) view.theme = text;
        else if (name === "t" && text !== "" && Number.isFinite(Number(text)))
            view.time = Number(text);
        else if (name === "quality") view.quality = text;
    }
    return view;
}

function readSet(text: string): Record<string, number> {
    const set: Record<string, number> = {};
    for (const pair of text.split(",")) {
        const [name, value] = pair.split(":");
        const number = Number(value);
        if (name && value !== undefined && Number.isFinite(number))
            set[decodeURIComponent(name)] = number;
    }
    return set;
}
