// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * The page as a whole. It passes scenes and frames from their source (a socket or a recording) to
 * the stage and the panel, and the user's commands to the source.
 */
import { keepView, keyActions, makeBar, tools } from "./actions";
import type { Bar } from "./bar";
import type { ContactView } from "./contacts";
import { el } from "./dom";
import { Framing } from "./framing";
import { Spring } from "./joints";
import { listenToKeys } from "./keys";
import { readView, type View } from "./link";
import { Legend } from "./legend";
import { Card, helpDialog, Hint, Pull, Title, Toast } from "./overlay";
import { Panel, TOGGLES, type ToggleName } from "./panel";
import { Pointer } from "./pointer";
import { makeProps, type Props } from "./props";
import {
    BODY_FLOATS,
    type Frame,
    type SceneMessage,
    type Settings,
    type Vec3,
    type Command,
} from "./protocol";
import { Stage } from "./stage";
import { throwAlong } from "./throw";
import { cssColour, paletteOf, systemTheme, type Palette, type ThemeName } from "./theme";

/** Supplies frames and takes commands: a socket or a recording. */
export interface Source {
    readonly replay: boolean;
    command(command: Command): void;
    /**
     * The frame to show, or null if the last one is still current; `seconds` since the last
     * image.
     */
    next(seconds: number): Frame | null;
    seek?(time: number): void;
    back?(): void;
    loop?(): void;
}

export class App {
    readonly stage: Stage;
    readonly panel: Panel;
    readonly bar: Bar;
    readonly toast = new Toast();
    private readonly title = new Title();
    private readonly hint = new Hint();
    private readonly legend = new Legend();
    private readonly pull = new Pull();
    private readonly card: Card;
    private readonly left: HTMLElement;
    private readonly spring = new Spring();
    private readonly pointer: Pointer;
    private readonly framing: Framing;
    private readonly root: HTMLElement;
    readonly help: HTMLDialogElement;
    readonly on = new Set<ToggleName>(["joints", "shadows"]);
    private arrowSize = 1;
    private threshold = 0.01; // of the largest force
    themeName: ThemeName;
    private palette: Palette;
    themeChosen = false;
    scene: SceneMessage | null = null;
    span: [number, number] = [0, 1]; // of time, in a replay
    frame: Frame | null = null;
    props: Props | null = null;
    hovered = -1; // the body under the mouse
    private awaiting = false; // the first frame of a scene; the last image stays until then
    private wanted: Partial<View>;
    private drawnAt = 0;
    private rehearsing = false;
    private readonly images: number[] = []; // times of the last ones

    constructor(
        root: HTMLElement,
        readonly source: Source,
    ) {
        this.root = root;
        this.wanted = readView(location.hash);
        const canvas = el("canvas", {
            class: "canvas",
            role: "img",
            "aria-label": "The simulated scene",
            tabindex: 0,
        });
        const view = el("div", { class: "view" }, canvas);
        this.panel = this.makePanel();
        this.bar = makeBar(this);
        this.card = new Card(() => this.choose(-1));
        const actions = keyActions(this);
        this.help = helpDialog(
            actions.map(({ label, does }) => [label, does]),
            source.replay,
        );
        this.left = el("div", { class: "left" }, this.title.element, this.hint.element);
        root.append(
            view,
            this.left,
            this.legend.element,
            this.pull.element,
            tools(this),
            this.panel.element,
            this.bar.element,
            this.toast.element,
            this.help,
            this.panel.figures.dialog.element,
        );
        this.stage = new Stage(canvas, this.wanted.quality === "high");
        this.stage.onShadows = (on) => {
            this.props?.bodies.setShadows(on);
            this.props?.ground.setShadows(on);
        };
        this.stage.scene.add(this.spring.group);
        this.pointer = this.makePointer();
        this.framing = new Framing(this.stage);
        this.themeName = (this.wanted.theme as ThemeName | undefined) ?? systemTheme();
        this.themeChosen = this.wanted.theme !== undefined;
        this.palette = paletteOf(this.themeName);
        // too slow there, unless the user turns them on
        if (this.stage.software) this.on.delete("shadows");
        if (this.wanted.show) this.restoreToggles(this.wanted.show);
        for (const { name } of TOGGLES) this.panel.setToggle(name, this.on.has(name));
        this.applyTheme();
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
            if (!this.themeChosen) this.setTheme(systemTheme());
        });
        listenToKeys(actions);
        this.foldPanel(innerWidth < 720);
        this.stage.controls.addEventListener("end", () => keepView(this));
        requestAnimationFrame((now) => this.tick(now));
    }

    // ---- the parts ------------------------------------------------------------------------------

    private makePanel(): Panel {
        return new Panel({
            command: (command) => this.source.command(command),
            toggle: (name) => this.toggle(name),
            arrowSize: (size) => {
                this.arrowSize = size;
                this.redraw();
            },
            threshold: (part) => {
                this.threshold = part;
                this.redraw();
            },
        });
    }

    private makePointer(): Pointer {
        return new Pointer(this.stage, this.spring, {
            scene: () => this.scene,
            bodies: () => this.props?.bodies ?? null,
            poses: () => this.frame?.bodies ?? null,
            live: () => !this.source.replay,
            command: (command) => this.source.command(command),
            choose: (body) => this.choose(body),
            grabbed: () => {
                this.hint.hide();
                if (this.scene?.playing === false)
                    this.toast.say("Paused: press space to let it move.");
            },
            hover: (body) => {
                if (body === this.hovered) return;
                this.hovered = body;
                this.markBodies();
            },
        });
    }

    // ---- scenes and frames ----------------------------------------------------------------------

    setScene(scene: SceneMessage): void {
        const before = this.scene;
        const same =
            before?.name === scene.name &&
            before.dimension === scene.dimension &&
            JSON.stringify(before.set) === JSON.stringify(scene.set);
        this.scene = scene;
        this.pointer.letGo();
        this.title.show(scene);
        this.makeRoom();
        this.panel.showScene(scene, this.source.replay);
        this.showSettings(scene);
        if (!same) {
            if (!this.source.replay) this.panel.figures.restart();
            this.choose(-1);
            this.look(scene);
            if (before) this.wanted = {}; // a link is for the first scene that fits it
            const hand = matchMedia("(pointer: coarse)").matches ? "a finger" : "the mouse";
            this.hint.show(
                this.source.replay ? "Drag to look around." : `Drag any body with ${hand}.`,
            );
        }
        this.build(scene);
        this.awaiting = true;
        if (!this.obeyLink(scene) || same) return;
        if (this.wanted.camera && (this.source.replay || this.wanted.scene === scene.name)) {
            this.stage.setCameraNumbers(this.wanted.camera);
            this.framing.free = false;
        }
    }

    /** Requests the scene of the page's link; true if it is the current one. */
    private obeyLink(scene: SceneMessage): boolean {
        const { scene: name, set } = this.wanted;
        if (this.source.replay || !name || !scene.scenes.some((entry) => entry.name === name))
            return true;
        const fits =
            name === scene.name &&
            Object.entries(set ?? {}).every(([key, value]) => scene.set[key] === value);
        if (!fits) {
            this.source.command({ do: "scene", name, set: set ?? {} });
            this.wanted = { ...this.wanted, set: {} }; // once
        }
        return fits;
    }

    showSettings(settings: Partial<Settings>): void {
        if (this.scene) Object.assign(this.scene, settings);
        if (settings.gravity) this.props?.contacts.setGravity(settings.gravity);
        this.panel.showSettings(settings);
        if (settings.playing !== undefined) this.bar.showPlaying(settings.playing);
        if (settings.speed !== undefined) this.bar.showSpeed(settings.speed);
        if (settings.restart !== undefined && !this.source.replay)
            this.bar.showLoop(settings.restart);
    }

    private look(scene: SceneMessage): void {
        this.stage.lookAtScene(scene);
        this.framing.restart(scene);
    }

    private build(scene: SceneMessage): void {
        this.clearProps();
        const props = makeProps(scene, this.palette, this.stage, this.on.has("collision"));
        const { bodies, ground, contacts, joints } = props;
        this.stage.scene.add(ground.group, bodies.group, joints.group, contacts.group);
        this.props = props;
        this.applyToggles();
    }

    /** Draws the same scene again, with other shapes. */
    private rebuild(scene: SceneMessage): void {
        this.build(scene);
        if (this.frame && this.fits(this.frame)) this.showFrame(this.frame);
        this.markBodies();
    }

    private clearProps(): void {
        if (!this.props) return;
        const { bodies, ground, contacts, joints } = this.props;
        this.stage.scene.remove(bodies.group, ground.group, contacts.group, joints.group);
        for (const part of [bodies, ground, contacts, joints]) part.dispose();
        this.props = null;
    }

    // ---- drawing --------------------------------------------------------------------------------

    private tick(now: number): void {
        requestAnimationFrame((next) => this.tick(next));
        const elapsed = now - this.drawnAt;
        const frame =
            this.source.next(Math.min(0.1, elapsed / 1000)) ??
            (this.rehearsing ? this.frame : null);
        if (frame && this.fits(frame)) this.showFrame(frame);
        if (this.scene && this.frame && this.props) {
            this.pointer.tick(now, this.props.front);
            if (this.pointer.holds < 0) this.framing.update(this.scene, this.frame);
            const part = this.source.replay ? this.replayPart(this.frame) : null;
            this.panel.draw(this.frame, now, part);
            this.showForces(now);
            this.card.draw(this.scene, this.frame, now);
            this.pull.draw(this.pointer.target, this.frame.hand, (p) => this.stage.project(p));
        }
        const drawn =
            !this.awaiting &&
            this.stage.draw((eye, way, lens) => {
                this.props?.ground.seenFrom(eye);
                this.props?.bodies.arrange(lens);
                this.props?.contacts.arrange(this.contactView(), eye, way, this.dotPixels(7));
            });
        if (drawn && frame) this.stage.paced(elapsed);
        if (drawn) {
            this.images.push(now);
            if (this.images.length > 600) this.images.splice(0, 300);
        }
        this.drawnAt = now;
    }

    /** Updates the legend; bodies are pale behind force chains. */
    private showForces(now: number): void {
        if (!this.frame || !this.props) return;
        const view = this.contactView();
        const { contacts, bodies } = this.props;
        bodies.setPale(contacts.hasChains(view));
        this.legend.draw(this.frame, view, contacts.scaleBar(view), this.stage, now);
    }

    private replayPart(frame: Frame): number {
        const [start, end] = this.span;
        this.bar.showTime(frame.time);
        return end > start ? (frame.time - start) / (end - start) : 0;
    }

    private fits(frame: Frame): boolean {
        return (
            !!this.scene &&
            frame.bodyCount === this.scene.bodies.length &&
            (this.source.replay || frame.generation === this.scene.generation)
        );
    }

    private showFrame(frame: Frame): void {
        const { props } = this;
        if (!props) return;
        this.frame = frame;
        this.awaiting = false;
        if (!this.source.replay) this.panel.figures.sample(frame);
        props.bodies.update(frame.bodies);
        props.ground.update(frame.bodies);
        if (this.on.has("joints")) props.joints.update(frame.bodies, this.dotPixels(9));
        props.contacts.update(frame);
        this.stage.invalidate();
    }

    private redraw(): void {
        if (this.frame && this.props && this.fits(this.frame))
            this.props.joints.update(this.frame.bodies, this.dotPixels(9));
        this.stage.invalidate();
    }

    /**
     * Converts a size from pixels of the page to pixels of the canvas; smaller for small bodies.
     */
    private dotPixels(pixels: number): number {
        const body = this.props ? 0.5 * this.stage.pixelsOf(this.props.bodyRadius) : pixels;
        return Math.max(2, Math.min(pixels, body)) * this.stage.renderer.getPixelRatio();
    }

    // ---- visibility -----------------------------------------------------------------------------

    private contactView(): ContactView {
        return {
            points: this.on.has("contacts"),
            forces: this.on.has("forces"),
            cones: this.on.has("cones"),
            scale: this.on.has("log") ? "log" : "linear",
            size: this.arrowSize,
            threshold: this.threshold,
            selected: this.card.body,
            pixelsPerMetre: this.stage.pixelsOf(1),
        };
    }

    private restoreToggles(names: string[]): void {
        this.on.clear();
        for (const { name } of TOGGLES) if (names.includes(name)) this.on.add(name);
    }

    toggle(name: ToggleName): void {
        if (this.on.has(name)) this.on.delete(name);
        else this.on.add(name);
        if (name === "shadows") this.stage.forgive();
        if (name === "collision" && this.scene) this.rebuild(this.scene);
        this.panel.setToggle(name, this.on.has(name));
        this.applyToggles();
        keepView(this);
    }

    private applyToggles(): void {
        if (!this.props || !this.scene) return;
        this.props.bodies.setOpacity(this.on.has("glass") ? 0.28 : 1);
        this.props.joints.group.visible = this.on.has("joints");
        this.stage.setShadows(
            this.on.has("shadows") && !this.on.has("glass"),
            this.scene.shapes.length,
        );
        this.redraw();
    }

    choose(body: number): void {
        if (!this.scene) return;
        this.card.choose(this.scene, body);
        this.markBodies();
    }

    private markBodies(): void {
        const marked = [];
        if (this.card.body >= 0) marked.push({ body: this.card.body, colour: this.palette.accent });
        if (this.hovered >= 0 && this.hovered !== this.card.body)
            marked.push({
                body: this.hovered,
                colour: this.themeName === "dark" ? 0xffffff : 0xfff4dc,
            });
        this.props?.bodies.mark(marked);
        this.stage.invalidate();
    }

    foldPanel(fold = !this.root.classList.contains("folded")): void {
        this.root.classList.toggle("folded", fold);
        if (fold) this.left.insertBefore(this.card.element, this.hint.element);
        else this.panel.element.prepend(this.card.element);
        this.makeRoom();
        if (this.scene && this.framing.free) this.framing.restart(this.scene);
    }

    /** Sets the covered margins of the camera: the panel at the right; on a narrow screen the panel
     * at the bottom, and the buttons and the title at the top (style.css). */
    private makeRoom(): void {
        const fold = this.root.classList.contains("folded");
        const { width, height } = this.panel.element.getBoundingClientRect();
        if (innerWidth >= 720) this.stage.setInset(fold ? 0 : width + 16, 0, 0);
        else {
            const { bottom } = this.title.element.getBoundingClientRect();
            this.stage.setInset(0, fold ? 0 : height, bottom);
        }
    }

    // ---- light and dark -------------------------------------------------------------------------

    switchTheme(): void {
        this.themeChosen = true;
        this.setTheme(this.themeName === "dark" ? "light" : "dark");
        keepView(this);
    }

    private setTheme(name: ThemeName): void {
        this.themeName = name;
        this.palette = paletteOf(name);
        this.applyTheme();
    }

    private applyTheme(): void {
        const { palette } = this;
        document.documentElement.dataset.theme = this.themeName;
        const style = document.documentElement.style;
        style.setProperty("--sticks", cssColour(palette.sticks));
        style.setProperty("--slides", cssColour(palette.slides));
        style.setProperty("--apart", cssColour(palette.apart));
        this.stage.setPalette(palette);
        this.spring.setColour(palette.accent);
        if (this.props)
            for (const part of [
                this.props.bodies,
                this.props.ground,
                this.props.contacts,
                this.props.joints,
            ])
                part.setPalette(palette);
        this.markBodies();
        this.redraw();
    }

    // ---- user actions ---------------------------------------------------------------------------

    playOrPause(): void {
        this.source.command({ do: this.scene?.playing ? "pause" : "play" });
    }

    home(): void {
        if (this.scene) this.look(this.scene);
        keepView(this);
    }

    throwBall(): void {
        const { stage, scene, props } = this;
        if (!scene || !props || this.source.replay) return;
        const { ray } = stage.rayAt(this.pointer.x, this.pointer.y);
        this.source.command(throwAlong(ray, scene, stage.centre, stage.reach, props.bodyRadius));
    }

    get wantedTime(): number | null {
        return this.wanted.time ?? null;
    }

    /** Draws the last frame again in every image, to measure the frame rate. */
    rehearse(): void {
        this.rehearsing = true;
    }

    /** Images in the last second. */
    imagesPerSecond(now = performance.now()): number {
        return this.images.filter((at) => now - at <= 1000).length;
    }

    position(body: number): Vec3 | null {
        if (!this.frame || body < 0 || body >= this.frame.bodyCount) return null;
        return Array.from(
            this.frame.bodies.subarray(BODY_FLOATS * body, BODY_FLOATS * body + 3),
        ) as Vec3;
    }
}
