import { beforeEach, describe, expect, test } from 'vitest';
import type { RunSummary } from '#shared/run-event.ts';
import { ApiError } from '../api/client.ts';
import { RunSocket } from '../api/run-socket.ts';
import { RunFeed } from './run-feed.ts';
import { loadOlder } from './run-history.ts';
import { createRunStore, type RunStore } from './run-store.ts';
import { FakeRunServer, FakeSocket, fakeClock } from './testing/fake-runs.ts';

const same = (node: string): string => node;
let server: FakeRunServer;
let clock: ReturnType<typeof fakeClock>;

interface Client {
  readonly store: RunStore;
  readonly feed: RunFeed;
  /** Draws the next frame; returns whether anything waited for it. */
  draw(): boolean;
  socket(): FakeSocket;
  sockets: FakeSocket[];
}

/** An editor's connection to the server. `accepts` decides whether a connection is accepted. */
function connect(accepts: () => boolean = () => true): Client {
  const store = createRunStore();
  let frames: (() => void)[] = [];
  const feed = new RunFeed({
    flow: server.flow,
    store,
    api: server.api,
    title: same,
    frame: (fn) => frames.push(fn),
  });
  const sockets: FakeSocket[] = [];
  void new RunSocket(
    server.flow,
    {
      onItems: (items) => feed.take(items),
      onOpen: (resumed) => void feed.opened(resumed),
      onLost: () => {},
      onFlowChanged: () => {},
      onServers: () => {},
    },
    {
      open: (path) => {
        const socket = new FakeSocket(path);
        sockets.push(socket);
        clock.timer(1, () => (accepts() ? server.accept(socket) : socket.break()));
        return socket;
      },
      timer: clock.timer,
      random: () => 0.5,
    },
  );
  clock.advance(1);
  return {
    store,
    feed,
    sockets,
    socket: () => sockets.at(-1) as FakeSocket,
    draw() {
      const due = frames;
      frames = [];
      for (const fn of due) fn();
      return due.length > 0;
    },
  };
}

/** Waits until nothing is being loaded and nothing waits to be drawn. */
async function settle(client: Client): Promise<void> {
  do {
    await new Promise((resolve) => setImmediate(resolve));
  } while (client.draw());
  await new Promise((resolve) => setImmediate(resolve));
}

/** The final state on the screen. */
function seen({ store }: Client) {
  const { shown, recent, log } = store.getState();
  return { shown, recent, log: log.map(({ run, seq, text }) => `${run} ${seq} ${text}`) };
}

/** A run with two nodes. */
function work(run: string): void {
  for (const node of ['a', 'b']) {
    server.say(run, { kind: 'node-started', node, attempt: 1 });
    server.say(run, { kind: 'log', node, level: 'info', text: `at ${node}` });
    server.say(run, { kind: 'node-output', node, port: 'out', value: { node } });
    server.say(run, { kind: 'node-finished', node, ms: 1 });
  }
}

beforeEach(() => {
  server = new FakeRunServer();
  clock = fakeClock();
});

describe('the feed of a flow', () => {
  test('a run comes onto the canvas, into the list and into the log', async () => {
    const client = connect();
    const run = server.start();
    work(run);
    server.finish(run);
    await settle(client);
    const { shown, recent, log } = client.store.getState();
    expect(shown).toMatchObject({
      id: run,
      status: 'ok',
      nodes: { a: { status: 'ok', outputs: { out: { node: 'a' } } } },
    });
    expect(recent).toMatchObject([{ run, status: 'ok', source: 'http' }]);
    expect(log.map(({ text }) => text)).toEqual([
      'Run started at request',
      'Started',
      'at a',
      'Finished in 1 ms',
      'Started',
      'at b',
      'Finished in 1 ms',
      'Run finished in 5 ms',
    ]);
  });

  test('the store changes once a frame, however much comes', async () => {
    const client = connect();
    await settle(client);
    let changes = 0;
    client.store.subscribe(() => changes++);
    for (let i = 0; i < 20; i++) work(server.start());
    expect(changes).toBe(0);
    client.draw();
    expect(changes).toBe(1);
  });

  test('a burst is spread over several frames', async () => {
    const client = connect();
    await settle(client);
    const run = server.start();
    for (let i = 0; i < 4000; i++) server.say(run, { kind: 'log', level: 'info', text: 'x' });
    let frames = 0;
    while (client.draw()) frames++;
    expect([frames, client.store.getState().log.length]).toEqual([9, 4001]);
  });

  test('the newest run is shown while somebody follows; an opened run stays until they follow again', async () => {
    const client = connect();
    const first = server.start();
    server.finish(first);
    const second = server.start();
    await settle(client);
    expect(client.store.getState().shown?.id).toBe(second);
    client.store.setState({ follow: false });
    await client.feed.show(first);
    server.start();
    await settle(client);
    expect(client.store.getState().shown).toMatchObject({ id: first, status: 'ok' });
    client.store.setState({ follow: true });
    const fourth = server.start();
    await settle(client);
    expect(client.store.getState().shown?.id).toBe(fourth);
  });

  test('events that come while a run is being opened are not lost', async () => {
    const client = connect();
    const run = server.start();
    work(run);
    await settle(client);
    client.store.setState({ follow: false, shown: undefined });
    const { getRunEvents } = server.api;
    server.api.getRunEvents = async (id, after) => {
      const page = await getRunEvents(id, after);
      if (!page.more) {
        server.api.getRunEvents = getRunEvents;
        server.finish(run);
        client.draw();
      }
      return page;
    };
    await client.feed.show(run);
    await settle(client);
    expect(client.store.getState().shown).toMatchObject({ id: run, status: 'ok', seq: 10 });
  });

  test('what went on before the flow was opened is read from the history', async () => {
    const old = server.start();
    server.finish(old);
    const current = server.start();
    work(current);
    server.forget();
    const client = connect();
    server.finish(current);
    await settle(client);
    const { shown, recent } = client.store.getState();
    expect(shown).toMatchObject({ id: current, status: 'ok', nodes: { b: { status: 'ok' } } });
    expect(recent.map(({ run, status }) => [run, status])).toEqual([
      [current, 'ok'],
      [old, 'ok'],
    ]);
  });
});

test('a run of another server that was not recorded yet when the list was read is shown once that server is followed', async () => {
  const run = server.start();
  work(run);
  server.finish(run);
  const { runs: ended } = await server.api.listRuns(server.flow, 1);
  let runs = ended.map(
    ({ ms: _, ...row }) => ({ ...row, status: 'running' as const, recorded: false }) as RunSummary,
  );
  const store = createRunStore();
  const api = { ...server.api, listRuns: async () => ({ runs }) };
  const feed = new RunFeed({ flow: server.flow, store, api, title: same, frame: (fn) => fn() });
  await feed.opened(false);
  expect(store.getState().shown).toBeUndefined();
  runs = ended;
  await feed.opened(false);
  expect(store.getState().shown).toMatchObject({ id: run, status: 'ok', nodes: { b: { status: 'ok' } } });
});

describe('a connection that is lost again and again', () => {
  /** The screen of somebody whose connection is never lost. */
  async function drive(breakIt: (client: Client, step: number) => void, accepts?: () => boolean) {
    server = new FakeRunServer();
    clock = fakeClock();
    const client = connect(accepts);
    await settle(client);
    let step = 0;
    const runs = [server.start(), server.start()];
    for (let i = 0; i < 6; i++) {
      for (const run of runs) {
        work(run);
        breakIt(client, step++);
        clock.advance(400);
        if (step % 2 === 0) await settle(client);
      }
    }
    for (const run of runs) server.finish(run);
    const late = server.start();
    work(late);
    clock.advance(60_000);
    await settle(client);
    return seen(client);
  }

  test('ends in the same state as one that holds', async () => {
    const whole = await drive(() => {});
    const broken = await drive((client) => client.socket().break());
    expect(broken).toEqual(whole);
    expect(whole.log).toHaveLength(new Set(whole.log).size);
    expect(whole.shown?.nodes['b']?.status).toBe('ok');
  });

  test('ends in the same state when the server refuses every other try', async () => {
    const whole = await drive(() => {});
    let tries = 0;
    const broken = await drive(
      (client) => client.socket().break(),
      () => tries++ % 2 === 0,
    );
    expect(broken).toEqual(whole);
  });

  test('ends in the same state when the server has forgotten what it told', async () => {
    const whole = await drive(() => {});
    const broken = await drive((client, step) => {
      client.socket().break();
      if (step % 3 === 0) server.forget();
    });
    expect(broken).toEqual(whole);
  });

  test('a run that started and ended meanwhile is in the list and in the log', async () => {
    const client = connect();
    const first = server.start();
    server.finish(first);
    await settle(client);
    client.socket().break();
    const missed = server.start();
    work(missed);
    server.finish(missed);
    server.forget();
    clock.advance(10_000);
    await settle(client);
    const { recent, log, shown } = client.store.getState();
    expect(recent.map(({ run }) => run)).toEqual([missed, first]);
    expect(log.filter(({ run }) => run === missed)).toHaveLength(8);
    expect(shown).toMatchObject({ id: missed, status: 'ok' });
  });
});

describe('a hole in a run', () => {
  test('is filled before what follows is applied', async () => {
    const client = connect();
    const run = server.start();
    await settle(client);
    const { socket } = client;
    const deaf = socket().onmessage;
    socket().onmessage = null;
    work(run);
    socket().onmessage = deaf;
    server.say(run, { kind: 'log', level: 'info', text: 'after the hole' });
    client.draw();
    expect(client.store.getState().shown?.seq).toBe(1);
    await settle(client);
    expect(client.store.getState().shown).toMatchObject({ seq: 10, nodes: { a: { status: 'ok' } } });
    expect(client.store.getState().log.map(({ seq }) => seq)).toEqual([1, 2, 3, 5, 6, 7, 9, 10]);
  });

  test('that cannot be read because the server is away is filled when it is back', async () => {
    const client = connect();
    const run = server.start();
    await settle(client);
    const { getRunEvents } = server.api;
    server.api.getRunEvents = () => Promise.reject(new ApiError('offline', 'away', 0));
    const deaf = client.socket().onmessage;
    client.socket().onmessage = null;
    work(run);
    client.socket().onmessage = deaf;
    server.finish(run);
    await settle(client);
    expect(client.store.getState().shown?.status).toBe('running');
    server.api.getRunEvents = getRunEvents;
    client.socket().break();
    clock.advance(400);
    await settle(client);
    expect(client.store.getState().shown).toMatchObject({ status: 'ok', seq: 10 });
  });

  test('that nobody can fill is passed over, and said', async () => {
    const client = connect();
    const run = server.start();
    await settle(client);
    server.api.getRunEvents = async () => ({
      events: [{ kind: 'gap', from: 2, to: 9, reason: 'over-limit' }],
      more: false,
    });
    const deaf = client.socket().onmessage;
    client.socket().onmessage = null;
    work(run);
    client.socket().onmessage = deaf;
    server.finish(run);
    await settle(client);
    expect(client.store.getState().shown).toMatchObject({ status: 'ok', missing: 'over-limit' });
  });
});

test('older runs are added behind the ones that are there', async () => {
  for (let i = 0; i < 120; i++) server.finish(server.start());
  const client = connect();
  await settle(client);
  expect([client.store.getState().recent.length, client.store.getState().hasOlder]).toEqual([50, true]);
  await loadOlder(server.api, client.store, server.flow);
  await loadOlder(server.api, client.store, server.flow);
  const { recent, hasOlder } = client.store.getState();
  expect([recent.length, recent.at(-1)?.run, hasOlder]).toEqual([120, 'run0001', false]);
});

test('a durable run waits, on the canvas and in the list, until it is carried on; also where it is opened later', async () => {
  const client = connect();
  const run = server.start();
  server.say(run, { kind: 'node-started', node: 'approve', attempt: 1 });
  server.say(run, { kind: 'node-waiting', node: 'approve', for: 'approval' });
  server.park(run);
  await settle(client);
  const statuses = ({ store }: Client) => {
    const { shown, recent } = store.getState();
    return [shown?.status, recent[0]?.status];
  };
  expect(statuses(client)).toEqual(['waiting', 'waiting']);
  const later = connect();
  await later.feed.show(run);
  expect(later.store.getState().shown?.status).toBe('waiting');
  const follower = connect();
  await follower.feed.opened(false);
  await settle(follower);
  expect(statuses(follower)).toEqual(['waiting', 'waiting']);
  server.say(run, { kind: 'node-started', node: 'next', attempt: 1 });
  await settle(client);
  expect(statuses(client)).toEqual(['running', 'running']);
  server.finish(run);
  await settle(client);
  expect(statuses(client)).toEqual(['ok', 'ok']);
});
