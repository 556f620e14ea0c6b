import { RunSocket } from '../api/run-socket.ts';
import { getRun, getRunEvents, isListening, listenToDraft, listRuns } from '../api/runs.ts';
import { getVersionText } from '../api/flows.ts';
import type { Session } from '../commands/command.ts';
import { durationText } from '../ui/format.ts';
import { loadPatiently, onceLoaded, whenLoaded } from '../model/when-loaded.ts';
import { RunFeed } from '../state/run-feed.ts';
import type { TitleOf } from '../state/run-log.ts';
import { afterFirstPicture } from '../ui/first-picture.ts';
import type { PartRuns } from './part-runs.ts';
import { watchPins } from '../state/renamed-pins.ts';
import { loadOlder, loadRecent } from '../state/run-history.ts';
import { noActions, type RunActions, type RunState, type ShownRun } from '../state/run-store.ts';
import { nodeIn } from '../model/document/flat.ts';
import { titleOf } from '../model/document/geometry.ts';

const api = { listRuns, getRun, getRunEvents };

const LISTEN_MS = 300_000;
/** How often the server is asked whether it listens by now, in milliseconds. */
const LOOK_MS = 100;

/** The connection of an open flow to its runs. */
export interface RunsConnection {
  /** Reopens a lost connection at once, for when the server is known to be available again. */
  retry(): void;
  /** Ends it, and listening too; the actions of the store then do nothing. */
  close(): void;
}

/** Feeds the runs of the open flow into its store while the editor shows it. */
export function connectRuns(session: Session, flow: string): RunsConnection {
  const { runs: store } = session;
  const feed = new RunFeed({ flow, store, api, title: (node) => titleIn(session, node), frame: nextFrame });
  let isFirstWord = true;
  let serversChanged = false;
  const socket = new RunSocket(
    flow,
    {
      onItems: (items) => feed.take(items),
      onOpen: (resumed) => {
        store.setState({ connection: 'open' });
        void feed.opened(resumed);
        void loadPins();
      },
      onLost: () => store.setState({ connection: 'lost' }),
      onServers: ({ shown, missing }) => {
        store.setState({ missingServers: missing });
        // Of the time before a server was followed, or since it is not, nothing has come.
        if (shown.length + missing.length > 1 || serversChanged) void feed.opened(false);
        serversChanged = true;
      },
      onFlowChanged: (revision) => {
        const isKnown = isFirstWord && revision === session.editor.getState().revision;
        isFirstWord = false;
        if (!isKnown) void session.saver.look();
      },
    },
    browser,
  );
  const listener = createListener(session, flow, feed);
  const { loadPins, renamePin, ...partRuns } = laterPartRuns(session, flow);
  const unwatchPins = watchPins(session, renamePin);
  const unwatchStale = watchStaleLater(session);
  store.setState({ actions: { ...createActions(session, flow, feed), ...listener, ...partRuns } });
  const stopTelling = store.subscribe((state, before) => {
    tell(session, state, before);
    if (state.follow && !before.follow) catchUp(session, feed);
  });
  const retry = (): void => socket.retry();
  // A server that has accepted a save is available again.
  const stopWatchingSaves = session.editor.subscribe(({ saveState }, before) => {
    if (saveState === 'saved' && before.saveState !== 'saved') retry();
  });
  globalThis.addEventListener('online', retry);
  document.addEventListener('visibilitychange', retry);
  const close = (): void => {
    globalThis.removeEventListener('online', retry);
    document.removeEventListener('visibilitychange', retry);
    stopTelling();
    stopWatchingSaves();
    unwatchPins();
    unwatchStale();
    listener.stopListening();
    socket.close();
    store.setState({ actions: noActions });
  };
  return { retry, close };
}

/** Partial runs, whose code comes after the first picture, as nobody starts one before. */
function laterPartRuns(session: Session, flow: string): PartRuns {
  const load = onceLoaded(async () => {
    await afterFirstPicture();
    const { createPartRuns } = await loadPatiently(() => import('./part-runs.ts'));
    return createPartRuns(session, flow);
  });
  const tell = (error: unknown): void => session.actions.toast((error as Error).message, 'error');
  load().catch(() => undefined);
  return {
    runPart: (wish) => load().then((loaded) => loaded.runPart(wish), tell),
    fork: (run, outputs) => load().then((loaded) => loaded.fork(run, outputs), tell),
    pin: (node, outputs) => load().then((loaded) => loaded.pin(node, outputs), tell),
    loadPins: () =>
      load().then(
        (loaded) => loaded.loadPins(),
        () => undefined,
      ),
    renamePin: (from, to) => whenLoaded(load(), (loaded) => loaded.renamePin(from, to)),
  };
}

/** The marks of results that are out of date; there are none in the first picture. */
function watchStaleLater(session: Session): () => void {
  let stop: (() => void) | undefined = () => undefined;
  const loading = afterFirstPicture().then(() => import('./watch-stale.ts'));
  whenLoaded(loading, ({ watchStale }) => {
    if (stop) stop = watchStale(session, { getVersionText });
  });
  return () => {
    stop?.();
    stop = undefined;
  };
}

const browser = {
  open: (path: string) => new WebSocket(new URL(path, location.href.replace(/^http/, 'ws'))),
  timer(ms: number, fn: () => void) {
    const timer = setTimeout(fn, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

/** A background tab gets no frames, but must be up to date when somebody comes back to it. */
function nextFrame(fn: () => void): void {
  let done = false;
  const once = (): void => {
    if (done) return;
    done = true;
    fn();
  };
  requestAnimationFrame(once);
  setTimeout(once, 500);
}

function createActions(
  { editor, runs, actions }: Session,
  flow: string,
  feed: RunFeed,
): Pick<RunActions, 'open' | 'drawOnToday' | 'follow' | 'loadRecent' | 'loadOlder' | 'clearLog'> {
  const complain = (error: unknown): void =>
    actions.toast(error instanceof Error ? error.message : String(error), 'error');
  return {
    async open(run) {
      runs.setState({ follow: false, version: undefined });
      try {
        await feed.show(run);
        const { shown } = runs.getState();
        if (shown?.id !== run || shown.version === undefined) return;
        const version = { id: run, version: shown.version };
        const now = () => ({ ...editor.getState().doc, catalog: editor.getState().catalog });
        const { loadAsRan } = await import('../state/as-ran.ts');
        const asRan = await loadAsRan({ getVersionText }, now, version);
        if (runs.getState().shown?.id === run) runs.setState({ asRan });
      } catch (error) {
        complain(error);
      }
    },
    drawOnToday: () => runs.setState({ asRan: undefined }),
    follow: () => runs.setState({ follow: true }),
    loadRecent: () => loadRecent(api, runs, flow),
    loadOlder: () => loadOlder(api, runs, flow).catch(complain),
    clearLog: () => runs.setState({ log: [] }),
  };
}

/** New followers see the newest run, not only later ones. */
function catchUp({ runs, actions }: Session, feed: RunFeed): void {
  const { recent, shown } = runs.getState();
  const newest = recent[0];
  if (!newest || newest.run === shown?.id) return;
  feed.show(newest.run).catch((error: unknown) => actions.toast((error as Error).message, 'error'));
}

function createListener(
  { editor, runs, saver, actions, ui }: Session,
  flow: string,
  feed: RunFeed,
): Pick<RunActions, 'listen' | 'stopListening'> {
  let waiting: AbortController | undefined;

  async function wait(signal: AbortSignal): Promise<void> {
    const { run, request } = await listenToDraft(flow, LISTEN_MS, signal);
    if (run === null) {
      actions.toast('No call came within five minutes. Listen again when you are ready.');
      return;
    }
    actions.toast(`Called: ${request?.method ?? ''} ${request?.path ?? ''}`, 'success');
    runs.setState({ follow: true });
    const { overlay } = ui.getState();
    const isAsked = overlay?.kind === 'run-form';
    ui.setState({ dockOpen: true, dockTab: 'result', ...(isAsked && { overlay: undefined }) });
    await feed.show(run);
  }

  /** Tells that it listens once callers are accepted, not before. */
  async function tellWhenOpen(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted && !(await isListening(flow, signal)))
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    if (!signal.aborted) runs.setState({ listeningUntil: Date.now() + LISTEN_MS });
  }

  function stopListening(): void {
    waiting?.abort();
    waiting = undefined;
    runs.setState({ listeningUntil: undefined });
  }

  return {
    stopListening,
    async listen() {
      if (editor.getState().saveState !== 'saved' && !(await saver.save())) return;
      stopListening();
      const mine = new AbortController();
      waiting = mine;
      runs.setState({ listeningUntil: 'opening' });
      try {
        const over = wait(mine.signal).finally(() => mine.abort());
        await Promise.all([over, tellWhenOpen(mine.signal)]);
      } catch (error) {
        if (waiting === mine) actions.toast((error as Error).message, 'error');
      } finally {
        if (waiting === mine) stopListening();
      }
    },
  };
}

/** Lets a screen reader announce the result of the run on the canvas. */
function tell(session: Session, { shown }: RunState, { shown: before }: RunState): void {
  if (!shown || shown.status === 'running' || shown === before) return;
  if (before?.id === shown.id && before.status === shown.status) return;
  session.ui.setState({ announcement: resultText(shown, (node) => titleIn(session, node)) });
}

/** The title of a node of the flow as it is edited; its id if it is gone. */
function titleIn({ editor }: Session, id: string): string {
  const { doc, catalog } = editor.getState();
  const node = nodeIn(doc.flow, id);
  return node ? titleOf(node, catalog) : id;
}

function resultText({ status, ms, error }: ShownRun, nameOf: TitleOf): string {
  const time = ms === undefined ? '' : ` after ${durationText(ms)}`;
  if (status === 'waiting') return 'Run is waiting';
  if (status === 'ok') return `Run finished${time}`;
  if (status === 'cancelled') return `Run cancelled${time}`;
  const where = error?.node === undefined ? '' : ` at ${nameOf(error.node)}`;
  return `Run failed${where}${time}: ${error?.message ?? 'unknown reason'}`;
}
