// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * The socket to the program. Only the newest frame is kept until it is drawn. If the connection is
 * lost, the page tries to reconnect.
 */
import {
    decodeFrame,
    readMessage,
    writeCommand,
    type Frame,
    type ServerMessage,
    type Command,
} from "./protocol";

export interface ConnectionEvents {
    message(message: ServerMessage): void;
    frame(): void;
    online(online: boolean): void;
    trouble(text: string): void;
}

const RETRY_LEAST_MS = 400;
const RETRY_MOST_MS = 4000;

export class Connection {
    private socket: WebSocket | null = null;
    private newest: ArrayBuffer | null = null;
    private retryMs = RETRY_LEAST_MS;

    constructor(
        private readonly address: string,
        private readonly events: ConnectionEvents,
    ) {
        this.open();
    }

    /** The newest frame, once; null if there is none since. */
    takeFrame(): Frame | null {
        const buffer = this.newest;
        this.newest = null;
        if (!buffer) return null;
        try {
            return decodeFrame(buffer);
        } catch (error) {
            this.events.trouble(String((error as Error).message));
            return null;
        }
    }

    send(command: Command): void {
        if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(writeCommand(command));
    }

    private open(): void {
        const socket = new WebSocket(this.address, "moreau");
        socket.binaryType = "arraybuffer";
        socket.onopen = () => {
            this.retryMs = RETRY_LEAST_MS;
            this.events.online(true);
        };
        socket.onmessage = (event) => this.receive(event.data);
        socket.onclose = () => {
            this.newest = null;
            this.events.online(false);
            setTimeout(() => this.open(), this.retryMs);
            this.retryMs = Math.min(2 * this.retryMs, RETRY_MOST_MS);
        };
        this.socket = socket;
    }

    private receive(data: unknown): void {
        if (data instanceof ArrayBuffer) {
            this.newest = data;
            this.events.frame();
            return;
        }
        try {
            const message = readMessage(String(data));
            if (message) this.events.message(message);
        } catch (error) {
            this.events.trouble(String((error as Error).message));
        }
    }
}
