import { setTimeout as pause } from 'node:timers/promises';
import type { ServerResponse } from 'node:http';
import {
  chunk,
  listenOpenAi,
  type OpenAiServer,
  type Reply,
  sendChunks,
  sendError,
} from '../../../server/integrations/models/testing/openai-server.ts';

/** A provider over real HTTP, whose models each do what their name says. */
export interface Provider extends OpenAiServer {
  /** Lets `held` write all that follows its first piece. */
  letGo(): void;
  close(): void;
}

/** What the models say, piece by piece. */
export const words = ['One', ' two', ' 🚀', ' "four"\n', 'five\\'] as const;

/** How long `slow` waits before it says anything. */
const SLOW_MS = 400;

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

export const models: readonly string[] = [...Object.keys(replies), 'drops', 'held'];

const said = (content: string): string =>
  chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });

function end(response: ServerResponse): void {
  response.write(chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
  response.end('data: [DONE]\n\n');
}

/** One piece a network packet, so that the service sees each by itself. */
async function drops(response: ServerResponse): Promise<void> {
  sendChunks(response, []);
  await pause(5);
  for (const content of words) {
    response.write(said(content));
    await pause(5);
  }
  end(response);
}

export async function startProvider(): Promise<Provider> {
  let free = Promise.withResolvers<void>();

  /** Says its first piece, and nothing more before `letGo`. */
  async function held(response: ServerResponse): Promise<void> {
    free = Promise.withResolvers();
    sendChunks(response, pieces(words.slice(0, 1)));
    await free.promise;
    for (const content of words.slice(1)) response.write(said(content));
    end(response);
  }

  const all: Readonly<Record<string, Reply>> = { ...replies, drops, held };
  const server = await listenOpenAi((response, asked) => {
    const reply = all[asked.body.model];
    if (reply === undefined) return sendError(response, 404);
    return reply(response, asked);
  });
  return { ...server, letGo: () => free.resolve() };
}
