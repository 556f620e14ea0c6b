import { afterEach, expect, test, vi } from 'vitest';
import type { Session } from '../commands/command.ts';
import { sessionOf } from '../commands/testing/session.ts';
import { connectRuns } from './connect-runs.ts';
import { emptyDoc } from '../model/document/document.ts';
import { eventually } from '../../tests/support/eventually.ts';

/** The requested websockets, without a network. */
function fakeBrowser() {
  const sockets: { onopen?: () => void; onclose?: () => void }[] = [];
  const listeners = new Map<string, () => void>();
  const target = {
    addEventListener: (name: string, call: () => void) => void listeners.set(name, call),
    removeEventListener: (name: string) => void listeners.delete(name),
  };
  class Socket {
    onopen?: () => void;
    onclose?: () => void;
    constructor() {
      sockets.push(this);
    }
    send(): void {}
    close(): void {}
  }
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', Socket);
  vi.stubGlobal('location', { href: 'http://127.0.0.1/flows/f' });
  vi.stubGlobal('document', target);
  vi.stubGlobal('addEventListener', target.addEventListener);
  vi.stubGlobal('removeEventListener', target.removeEventListener);
  vi.stubGlobal('fetch', () => new Promise(() => {}));
  return sockets;
}

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('a lost connection is opened at once when a save has gone through, and is not said to be lost any more', () => {
  const sockets = fakeBrowser();
  const session = sessionOf(emptyDoc('f'));
  const connection = connectRuns(session, 'f');
  sockets[0]?.onopen?.();
  sockets[0]?.onclose?.();
  expect(session.runs.getState().connection).toBe('lost');
  const { setSaveState } = session.editor.getState();
  setSaveState('saving');
  expect(sockets).toHaveLength(1);
  setSaveState('saved');
  expect(sockets).toHaveLength(2);
  sockets[1]?.onopen?.();
  expect(session.runs.getState().connection).toBe('open');
  connection.close();
});

test('a lost connection is opened at once when somebody has signed in again', () => {
  const sockets = fakeBrowser();
  const connection = connectRuns(sessionOf(emptyDoc('f')), 'f');
  sockets[0]?.onclose?.();
  connection.retry();
  expect(sockets).toHaveLength(2);
  connection.close();
});

test('listening is told once the server listens, and not any more when a call has come', async () => {
  fakeBrowser();
  let isOpen = false;
  let hear = (_answer: Response): void => {};
  const answerOf = (data: unknown): Response =>
    new Response(JSON.stringify({ success: true, err_code: null, err_msg: null, data }), {
      headers: { 'content-type': 'application/json' },
    });
  vi.stubGlobal('fetch', (url: string, init?: RequestInit) => {
    if (!url.endsWith('/listen')) return new Promise(() => {});
    if (init?.method === 'POST')
      return new Promise<Response>((resolve) => {
        hear = resolve;
      });
    return Promise.resolve(answerOf({ listening: isOpen }));
  });
  const toast = vi.fn();
  const session = { ...sessionOf(emptyDoc('f')), actions: { toast } } as unknown as Session;
  session.editor.getState().setSaveState('saved');
  const connection = connectRuns(session, 'f');
  const until = () => session.runs.getState().listeningUntil;
  const listening = session.runs.getState().actions.listen();
  await vi.advanceTimersByTimeAsync(350);
  expect(until()).toBe('opening');
  isOpen = true;
  await eventually(() => expect(until()).toBeTypeOf('number'));
  hear(answerOf({ run: null, request: null }));
  await listening;
  expect(toast.mock.calls).toEqual([['No call came within five minutes. Listen again when you are ready.']]);
  expect(until()).toBeUndefined();
  connection.close();
});
