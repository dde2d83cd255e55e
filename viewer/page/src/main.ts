// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/* Starts the page: as a replay if it contains a recording, otherwise live. */
import { App, type Source } from "./app";
import { Connection } from "./connection";
import { el } from "./dom";
import type { Vec3, Command } from "./protocol";
import { findRecording, Player, type Recording } from "./replay";

/** For scripts and tests. */
declare global {
    interface Window {
        moreau?: {
            app: App;
            time(): number;
            generation(): number;
            position(body: number): Vec3 | null;
            onScreen(body: number): [number, number] | null;
            fps(): number;
        };
    }
}

function expose(app: App): void {
    window.moreau = {
        app,
        time: () => app.frame?.time ?? -1,
        generation: () => app.scene?.generation ?? -1,
        position: (body) => app.position(body),
        onScreen: (body) => {
            const point = app.position(body);
            return point && app.stage.project(point);
        },
        fps: () => app.imagesPerSecond(),
    };
}

function live(root: HTMLElement): void {
    let connection: Connection | null = null;
    const source: Source = {
        replay: false,
        command: (command) => connection?.send(command),
        next: () => connection?.takeFrame() ?? null,
        loop: () => connection?.send({ do: "set", restart: app.scene?.restart ? 0 : 1 }),
    };
    const app = new App(root, source);
    let online = false;
    const address = new URL("socket", location.href.replace(/#.*$/, ""));
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    connection = new Connection(address.href, {
        message: (message) => {
            if (message.type === "scene") app.setScene(message);
            else if (message.type === "state") app.showSettings(message);
            else app.toast.say(message.text, 8);
        },
        frame: () => {},
        online: (now) => {
            if (now && !online) app.toast.hide();
            if (!now)
                app.toast.say(
                    online || app.scene ? "Connection lost. Reconnecting …" : "Connecting …",
                    0,
                );
            online = now;
            root.classList.toggle("offline", !now);
        },
        trouble: (text) =>
            app.toast.say(
                `The program said something that this page does not understand: ${text}.`,
                8,
            ),
    });
    expose(app);
}

function replay(root: HTMLElement, recording: Recording): void {
    const player = new Player(recording);
    let changed = true;
    const source: Source = {
        replay: true,
        command: (command) => {
            obey(command);
            changed = true;
        },
        next: (seconds) => {
            player.advance(seconds);
            if (app.scene && app.scene.playing !== player.playing)
                app.showSettings({ playing: player.playing });
            if (!player.playing && !changed) return null;
            changed = false;
            return player.current();
        },
        seek: (time) => {
            player.seek(time);
            changed = true;
        },
        back: () => {
            player.nudge(-1);
            changed = true;
        },
        loop: () => {
            player.loop = !player.loop;
            app.bar.showLoop(player.loop);
        },
    };
    const obey = (command: Command) => {
        if (command.do === "play") {
            if (player.time >= player.end) player.seek(player.start);
            player.playing = true;
        } else if (command.do === "pause") player.playing = false;
        else if (command.do === "step") player.nudge(1);
        else if (command.do === "reset") player.seek(player.start);
        else if (command.do === "speed") {
            player.speed = command.value;
            app.showSettings({ speed: command.value });
        }
    };
    const app = new App(root, source);
    app.span = [player.start, player.end];
    app.bar.setSpan(player.start, player.end);
    app.bar.showLoop(player.loop);
    app.setScene({ ...recording.scene, playing: true, speed: 1 });
    app.panel.figures.setRecording(recording);
    if (app.wantedTime !== null) {
        player.seek(app.wantedTime);
        player.playing = false;
    }
    expose(app);
}

async function start(): Promise<void> {
    const root = document.getElementById("app");
    if (!root) return;
    try {
        const recording = await findRecording();
        if (recording) replay(root, recording);
        else live(root);
    } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        root.append(
            el(
                "p",
                { class: "failure", role: "alert" },
                `This page cannot be shown: ${text}. It needs a browser with WebGL 2.`,
            ),
        );
    }
}

void start();
