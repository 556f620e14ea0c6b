import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { AskedThread, type LiveThread, type ThreadFailure, type ThreadSetup } from './asked-thread.ts';

/** The functions of the thread that is tested; each thread has an id of its own. */
interface Calls {
  id(): number;
  count(): number;
  echo(value: unknown): unknown;
  later(value: string, ms: number): Promise<string>;
  fail(message: string, code: string): void;
  uncopyable(): unknown;
  crash(message: string): Promise<never>;
  exit(): Promise<never>;
  say(value: string): void;
  close(): void;
}

const askedThread = new URL('./asked-thread.ts', import.meta.url).href;
const source = (close: string) => `
  let counted = 0;
  Promise.all(['node:worker_threads', '${askedThread}'].map((name) => import(name))).then(([{ threadId }, { answerCalls, sendToCaller }]) => answerCalls({
    id: () => threadId,
    count: () => ++counted,
    echo: (value) => value,
    later: (value, ms) => new Promise((resolve) => setTimeout(resolve, ms, value)),
    fail(message, code) { throw Object.assign(new Error(message), { code }); },
    uncopyable: () => () => {},
    crash: (message) => new Promise(() => setTimeout(() => { throw new Error(message); })),
    exit: () => new Promise(() => process.exit()),
    say: (value) => sendToCaller(value),
    close() { ${close} },
  }));`;

class Failed extends Error {
  readonly refused: boolean;

  constructor({ message, refused }: ThreadFailure) {
    super(message);
    this.refused = refused;
  }
}

function threadOf(more: Partial<ThreadSetup<Calls, string>> = {}, close = '') {
  const start = vi.fn(() => new Worker(source(close), { eval: true }));
  const thread = new AskedThread<Calls, string>({ start, failure: (why) => new Failed(why), ...more });
  onTestFinished(() => thread.kill());
  return { thread, start };
}

const failure = (message: string, refused: boolean) => expect.objectContaining({ message, refused });

test('AT1: requests arrive in order, and each gets its own answer', async () => {
  const { thread, start } = threadOf();
  const answers: string[] = [];
  const asked = [
    thread.ask('later', 'slow', 50),
    thread.ask('later', 'quick', 0),
    thread.ask('echo', 'at once'),
  ].map((answer) => answer.then((value) => answers.push(String(value))));
  await Promise.all(asked);
  expect(answers).toEqual(['at once', 'quick', 'slow']);
  expect(await Promise.all([1, 2, 3].map(() => thread.ask('count')))).toEqual([1, 2, 3]);
  expect(start).toHaveBeenCalledTimes(1);
});

test.each([
  ['crash', ['out of reach'], 'out of reach'],
  ['exit', [], 'its thread ended'],
] as const)(
  'AT2: when the thread dies by %s, what waits is rejected and the next request starts another',
  async (op, given, reason) => {
    const ended = vi.fn();
    const { thread, start } = threadOf({ ended });
    const first = await thread.ask('id');
    const asked = [thread.ask('later', 'never', 60_000), thread.ask(op as 'crash', ...(given as [string]))];
    for (const each of await Promise.allSettled(asked))
      expect(each).toMatchObject({ reason: failure(reason, true) });
    expect(ended).toHaveBeenCalledTimes(1);
    expect(await thread.ask('id')).not.toBe(first);
    expect(start).toHaveBeenCalledTimes(2);
  },
);

test('AT2: a thread that is ended answers nothing any more, and the next request has another', async () => {
  const { thread } = threadOf();
  const first = await thread.ask('id');
  const waits = thread.ask('later', 'never', 60_000).catch((error: unknown) => error);
  const ending = thread.end();
  const next = thread.ask('id');
  expect(await waits).toEqual(failure('its thread ended', true));
  expect(await next).not.toBe(first);
  await ending;
});

test('AT2: a thread that cannot start rejects', async () => {
  const { thread } = threadOf({ start: () => new Worker('throw new Error("no start")', { eval: true }) });
  await expect(thread.ask('id')).rejects.toEqual(failure('no start', true));
});

test('AT3: a process ends while its thread waits for requests, and not before the last answer', async () => {
  const program = `
    const { AskedThread } = await import('${askedThread}');
    const { Worker } = await import('node:worker_threads');
    const start = () => new Worker(${JSON.stringify(source(''))}, { eval: true });
    const thread = new AskedThread({ start, failure: ({ message }) => new Error(message) });
    console.log(await thread.ask('later', 'answered', 50));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  expect(stdout).toBe('answered\n');
});

test('AT4: a close answers what was asked before, and rejects what is asked later', async () => {
  const { thread, start } = threadOf();
  const before = thread.ask('echo', 'before');
  const closing = thread.close();
  await expect(thread.ask('echo', 'later')).rejects.toEqual(failure('it is closed', true));
  expect(await before).toBe('before');
  await Promise.all([closing, thread.close()]);
  expect(start).toHaveBeenCalledTimes(1);
});

test('AT4: a close starts no thread', async () => {
  const { thread, start } = threadOf();
  await thread.close();
  await expect(thread.ask('id')).rejects.toEqual(failure('it is closed', true));
  expect(start).not.toHaveBeenCalled();
});

test.each([
  ['fails', "throw new Error('no')"],
  ['dies', 'process.exit()'],
])('AT4: a close ends though the thread %s with it', async (_, close) => {
  const { thread } = threadOf({}, close);
  await thread.ask('id');
  const waits = thread.ask('later', 'never', 60_000).catch((error: unknown) => error);
  await thread.close();
  expect(await waits).toEqual(failure('its thread ended', true));
});

test('AT4: a thread that was killed is not started again', async () => {
  const { thread, start } = threadOf();
  const waits = thread.ask('later', 'never', 60_000).catch((error: unknown) => error);
  await thread.kill();
  expect(await waits).toEqual(failure('its thread ended', true));
  await expect(thread.ask('id')).rejects.toEqual(failure('it is closed', true));
  await thread.close();
  expect(start).toHaveBeenCalledTimes(1);
});

test('AT5: a function that throws rejects its own request only, and says whether the disk refused', async () => {
  const { thread } = threadOf();
  const id = await thread.ask('id');
  const waits = thread.ask('later', 'answered', 20);
  await expect(thread.ask('fail', 'no such table', 'ERR')).rejects.toEqual(failure('no such table', false));
  await expect(thread.ask('fail', 'disk full', 'ENOSPC')).rejects.toEqual(failure('disk full', true));
  await expect(thread.ask('uncopyable')).rejects.toEqual(
    failure(expect.stringContaining('could not be cloned') as unknown as string, false),
  );
  await expect(thread.ask('echo', () => {})).rejects.toThrow(/could not be cloned/);
  expect(await waits).toBe('answered');
  expect(await thread.ask('id')).toBe(id);
});

test('a thread ends when nothing was asked for some time', async () => {
  const ended = Promise.withResolvers<void>();
  const { thread } = threadOf({ idleMs: 1, ended: ended.resolve });
  const first = await thread.ask('later', 'answered', 100).then(() => thread.ask('id'));
  await ended.promise;
  expect(await thread.ask('id')).not.toBe(first);
});

test('what a thread says of its own accord comes with that thread, which answers until it has ended', async () => {
  const said = Promise.withResolvers<[string, LiveThread<Calls>]>();
  const { thread } = threadOf({ onMessage: (...message) => said.resolve(message) });
  await thread.ask('say', 'news');
  const [message, from] = await said.promise;
  expect(message).toBe('news');
  expect(await from.ask('id')).toBe(await thread.ask('id'));
  await thread.end();
  await thread.ask('id');
  await expect(from.ask('id')).rejects.toEqual(failure('its thread ended', true));
});

describe('AT6', () => {
  interface Opened {
    open(given: string): void;
    opened(): string;
    id(): number;
    crashLater(ms: number): void;
    later(): Promise<string>;
    close(): void;
  }

  let programs = 0;
  const programOf = (close = ''): URL =>
    new URL(
      `data:text/javascript,${encodeURIComponent(`
        // Program ${++programs}: threads of another one are not taken.
        import { threadId } from 'node:worker_threads';
        import { answerCalls } from '${askedThread}';
        let opened = 'nothing';
        answerCalls({
          open: (given) => void (opened += given),
          opened: () => opened,
          id: () => threadId,
          crashLater: (ms) => void setTimeout(() => { throw new Error('later'); }, ms),
          later: () => new Promise((resolve) => setTimeout(resolve, 300, 'late')),
          close() { ${close}; opened = ''; },
        });`)}`,
    );
  const open = (program: URL, given: string) => {
    const thread = new AskedThread<Opened>({ program, open: given, failure: (why) => new Failed(why) });
    onTestFinished(() => thread.kill());
    return thread;
  };
  const used = async (program: URL, given: string, end: 'close' | 'kill') => {
    const thread = open(program, given);
    const id = await thread.ask('id');
    await thread[end]();
    await expect(thread.ask('id')).rejects.toEqual(failure('it is closed', true));
    return id;
  };

  test('a thread that is closed serves the next setup of its program, and no two at once', async () => {
    const program = programOf();
    const first = await used(program, 'first', 'close');
    const [second, third] = [open(program, 'second'), open(program, 'third')];
    expect(await second.ask('id')).toBe(first);
    expect(await second.ask('opened')).toBe('second');
    expect(await third.ask('id')).not.toBe(first);
    expect(await third.ask('opened')).toBe('nothingthird');
    expect(await used(programOf(), 'other', 'close')).not.toBe(first);
  });

  test.each([
    ['was killed', 'kill', ''],
    ['failed to close', 'close', "throw new Error('no')"],
    ['died as it closed', 'close', 'process.exit()'],
  ] as const)('one that %s serves nobody', async (_, end, close) => {
    const program = programOf(close);
    const first = await used(program, 'first', end);
    const next = open(program, 'next');
    expect(await next.ask('id')).not.toBe(first);
    expect(await next.ask('opened')).toBe('nothingnext');
  });

  test('one that still owes an answer serves nobody, which would get that answer', async () => {
    const program = programOf();
    const first = open(program, 'first');
    const id = await first.ask('id');
    const late = first.ask('later').catch((error: unknown) => error);
    await first.close();
    expect(await late).toEqual(failure('its thread ended', true));
    expect(await open(program, 'next').ask('id')).not.toBe(id);
  });

  test('one that dies while it waits serves nobody', async () => {
    const program = programOf();
    const first = open(program, 'first');
    const id = await first.ask('id');
    await first.ask('crashLater', 50);
    await first.close();
    await expect.poll(() => used(program, 'next', 'close').catch(() => id)).not.toBe(id);
  });

  test('a process ends while threads wait for another setup', async () => {
    const program = `
      const { AskedThread } = await import('${askedThread}');
      const thread = new AskedThread({
        program: new URL(${JSON.stringify(programOf().href)}),
        open: 'x',
        failure: ({ message }) => new Error(message),
      });
      console.log(await thread.ask('opened'));
      await thread.close();`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    expect(stdout).toBe('nothingx\n');
  });
});
