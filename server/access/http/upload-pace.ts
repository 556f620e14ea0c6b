import type { IncomingMessage, Server } from 'node:http';
import { TOO_SLOW, uploading } from './client-error.ts';

/** The least that must arrive of an upload, in bytes, in each stretch of the time that other requests have in all. */
const LEAST = 64 * 1024;
const USUAL_MS = 60_000;
/** How long a sender may need to read why it is cut off, in milliseconds. */
const LINGER_MS = 2000;

/**
 * Lets an upload take longer than other requests as long as it keeps moving; a slower one is answered with
 * `request_timeout` and cut off. Call it for a body that goes to the disk, not for one that is held in memory.
 */
export function watchPace(request: IncomingMessage): void {
  const { socket } = request;
  const { server } = socket as { server?: Server };
  const everyMs = server?.requestTimeout || USUAL_MS;
  let before = socket.bytesRead;
  uploading.add(socket);
  const timer = setInterval(() => {
    const arrived = socket.bytesRead - before;
    before = socket.bytesRead;
    if (arrived >= LEAST || request.complete) return;
    stop();
    // Node itself does the same with other requests.
    server?.emit('clientError', Object.assign(new Error('Upload too slow'), { code: TOO_SLOW }), socket);
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  }, everyMs).unref();
  const stop = (): void => {
    clearInterval(timer);
    uploading.delete(socket);
  };
  // A refused upload is watched too, until nothing more of it comes.
  request.once('close', stop);
}
