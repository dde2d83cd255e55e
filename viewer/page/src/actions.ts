// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/* Actions of the keys and of the buttons at the top; saved images and links. */
import type { App } from "./app";
import { Bar } from "./bar";
import { el, iconButton } from "./dom";
import type { KeyAction } from "./keys";
import { writeView } from "./link";
import { TOGGLES } from "./panel";

/** The buttons at the top. */
export function tools(app: App): HTMLElement {
    return el(
        "nav",
        { class: "tools", "aria-label": "View" },
        iconButton("home", "Fit view (h)", () => app.home()),
        iconButton("camera", "Save an image (g)", () => saveImage(app)),
        iconButton("link", "Copy a link to this view", () => void copyLink(app)),
        iconButton("theme", "Dark or light (t)", () => app.switchTheme()),
        iconButton("help", "Help (?)", () => app.help.showModal()),
        iconButton("panel", "Show or hide the panel (p)", () => app.foldPanel()),
    );
}

/** The action of each key. The help lists the same. */
export function keyActions(app: App): KeyAction[] {
    const { source } = app;
    const one = (key: string, does: string, run: () => void, label = key): KeyAction => ({
        keys: [key, key.toUpperCase()],
        label,
        does,
        run,
    });
    const live = [
        one("b", "throw a ball at the pointer", () => app.throwBall()),
        one("o", "toggle: restart when at rest", () => source.loop?.()),
    ];
    const recorded = [
        {
            keys: [",", "ArrowLeft"],
            label: ", ←",
            does: "previous frame",
            run: () => source.back?.(),
        },
        one("o", "toggle: loop", () => source.loop?.()),
    ];
    const step = {
        keys: [".", "ArrowRight"],
        label: source.replay ? ". →" : ".",
        does: source.replay ? "next frame" : "one step",
    };
    return [
        one(" ", "play or pause", () => app.playOrPause(), "space"),
        { ...step, run: () => source.command({ do: "step" }) },
        one("r", source.replay ? "back to start" : "reset", () => source.command({ do: "reset" })),
        { keys: ["["], label: "[", does: "slower", run: () => app.bar.shiftSpeed(-1) },
        { keys: ["]"], label: "]", does: "faster", run: () => app.bar.shiftSpeed(1) },
        ...(source.replay ? recorded : live),
        ...TOGGLES.map(({ name, label, key }) =>
            one(key, label.toLowerCase(), () => app.toggle(name)),
        ),
        one("h", "fit view", () => app.home()),
        one("g", "save an image", () => saveImage(app)),
        one("t", "dark or light", () => app.switchTheme()),
        one("p", "show or hide the panel", () => app.foldPanel()),
        { keys: ["Escape"], label: "esc", does: "deselect", run: () => app.choose(-1) },
        { keys: ["?"], label: "?", does: "this help", run: () => app.help.showModal() },
    ];
}

/** Saves the image to the browser's downloads. */
export function saveImage(app: App): void {
    app.stage.screenshot((blob) => {
        if (!blob) return app.toast.say("The image could not be made.");
        const address = URL.createObjectURL(blob);
        const name = (app.scene?.name || "moreau").replace(/[^\w-]+/g, "-");
        el("a", {
            href: address,
            download: `${name}-${(app.frame?.time ?? 0).toFixed(2)}s.png`,
        }).click();
        setTimeout(() => URL.revokeObjectURL(address), 10000);
        app.toast.say("Image saved.");
    });
}

/** Writes the current view to the address, for reloads and links. */
export function keepView(app: App): string {
    const { scene } = app;
    const view = writeView({
        scene: app.source.replay ? "" : (scene?.name ?? ""),
        set: app.source.replay ? {} : (scene?.set ?? {}),
        camera: app.stage.cameraNumbers(),
        show: [...app.on],
        theme: app.themeChosen ? app.themeName : "",
        time: app.source.replay ? (app.frame?.time ?? 0) : null,
    });
    try {
        history.replaceState(null, "", view);
    } catch {
        // Some browsers refuse this for files.
    }
    return location.href.replace(/#.*$/, "") + view;
}

export async function copyLink(app: App): Promise<void> {
    const address = keepView(app);
    try {
        await navigator.clipboard.writeText(address);
        app.toast.say("Copied a link to this view.");
    } catch {
        app.toast.say("The address of this page now leads to this view.");
    }
}

export function makeBar(app: App): Bar {
    const { source } = app;
    const events = {
        play: () => app.playOrPause(),
        step: () => source.command({ do: "step" }),
        back: () => source.back?.(),
        reset: () => source.command({ do: "reset" }),
        speed: (value: number) => source.command({ do: "speed", value }),
        throwBall: () => app.throwBall(),
        seek: (time: number) => source.seek?.(time),
        loop: () => source.loop?.(),
    };
    return new Bar(events, source.replay);
}
