import { setTimeout as pause } from 'node:timers/promises';
import type { ServerResponse } from 'node:http';
import {
  type Asked,
  chunk,
  listenOpenAi,
  type OpenAiListener,
  sendChunks,
  sendError,
} from '../../../server/models/testing/openai-server.ts';

/** A provider over real HTTP, whose models each do what their name says. */
export interface Provider extends OpenAiListener {
  /** When it wrote the first piece of its latest answer, as `performance.now()` has it. */
  firstPieceAt(): number;
}

export const words = ['One', ' two', ' 🚀', ' "four"\n', 'five\\'] as const;
export const said = words.join('');

/** How long `slow` waits before it says anything. */
const SLOW_MS = 400;

type Reply = (response: ServerResponse, asked: Asked) => void | Promise<void>;

const pieces = (texts: readonly string[]): object[] => texts.map((content) => ({ role: 'assistant', content }));

const replies: Readonly<Record<string, Reply>> = {
  fine: (response) => sendChunks(response, pieces(words), 'stop'),
  long: (response) => sendChunks(response, pieces(words), 'length'),
  async slow(response) {
    await pause(SLOW_MS);
    sendChunks(response, pieces(words), 'stop');
  },
  /** One piece a network packet, so that the service sees each by itself. */
  async drops(response) {
    sendChunks(response, []);
    for (const content of words) {
      response.write(piece(content));
      await pause(5);
    }
    response.write(chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
    response.end('data: [DONE]\n\n');
  },
  full: (response) => sendError(response, 429, { 'retry-after': '7' }),
  broken: (response) => sendError(response, 500),
  async cut(response) {
    sendChunks(response, pieces(words.slice(0, 2)));
    await pause(50);
    response.destroy();
  },
  torn(response) {
    sendChunks(response, pieces(words.slice(0, 2)));
    response.end('data: {"id": "c1", "choices": [{"index": 0, "del\n\n');
  },
  html(response) {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<html>Welcome to the proxy</html>');
  },
};

export const models = Object.keys(replies);

export async function startProvider(): Promise<Provider> {
  let firstPiece = 0;
  const listener = await listenOpenAi((response, asked) => {
    const write = response.write.bind(response) as (...args: unknown[]) => boolean;
    firstPiece = 0;
    response.write = ((...args: unknown[]) => {
      if (String(args[0]).includes('"content"')) firstPiece ||= performance.now();
      return write(...args);
    }) as typeof response.write;
    return replies[asked.body.model]?.(response, asked) ?? sendError(response, 404);
  });
  return { ...listener, firstPieceAt: () => firstPiece };
}

const piece = (content: string): string =>
  chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
