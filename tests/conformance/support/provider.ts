import { setTimeout as pause } from 'node:timers/promises';
import type { ServerResponse } from 'node:http';
import {
  chunk,
  listenOpenAi,
  type OpenAiServer,
  type Reply,
  sendChunks,
  sendError,
} from '../../../server/models/testing/openai-server.ts';

/** A provider over real HTTP, whose models each do what their name says. */
export interface Provider extends OpenAiServer {
  /** When `drops` wrote the first piece of its latest answer, as `performance.now()` has it. */
  firstPieceAt(): number;
  close(): void;
}

/** What the models say, piece by piece. */
export const words = ['One', ' two', ' 🚀', ' "four"\n', 'five\\'] as const;

/** How long `slow` waits before it says anything. */
export const SLOW_MS = 400;

const begun = words.slice(0, 2);
const pieces = (texts: readonly string[]): object[] => texts.map((content) => ({ content }));

const replies: Readonly<Record<string, Reply>> = {
  fine: (response) => sendChunks(response, pieces(words), 'stop'),
  long: (response) => sendChunks(response, pieces(words), 'length'),
  async slow(response) {
    await pause(SLOW_MS);
    sendChunks(response, pieces(words), 'stop');
  },
  full: (response) => sendError(response, 429, { 'retry-after': '7' }),
  broken: (response) => sendError(response, 500),
  async cut(response) {
    sendChunks(response, pieces(begun));
    await pause(50);
    response.destroy();
  },
  torn(response) {
    sendChunks(response, pieces(begun));
    response.end('data: {"id": "c1", "choices": [{"index": 0, "del\n\n');
  },
  html(response) {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<html>Welcome to the proxy</html>');
  },
};

export const models: readonly string[] = [...Object.keys(replies), 'drops'];

export async function startProvider(): Promise<Provider> {
  let firstPiece = 0;

  /** One piece a network packet, so that the service sees each by itself. */
  async function drops(response: ServerResponse): Promise<void> {
    sendChunks(response, []);
    await pause(5);
    firstPiece = performance.now();
    for (const content of words) {
      response.write(chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }));
      await pause(5);
    }
    response.write(chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
    response.end('data: [DONE]\n\n');
  }

  const server = await listenOpenAi((response, asked) => {
    const reply = asked.body.model === 'drops' ? drops : replies[asked.body.model];
    if (reply === undefined) return sendError(response, 404);
    return reply(response, asked);
  });
  return { ...server, firstPieceAt: () => firstPiece };
}
