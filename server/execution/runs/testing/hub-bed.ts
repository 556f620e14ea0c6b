import pino from 'pino';
import type { FlowSettings } from '#shared/flow.ts';
import type { RunHub } from '../run-types.ts';
import type { RunRequest } from '../../../flows/service/run-request.ts';
import type { Gap } from '../../history/follower.ts';
import type { RunHistory } from '../../history/history.ts';
import { createMemoryHistory } from '../../history/memory-history.ts';
import { createRunHub, type RunHubDeps } from '../run-hub.ts';
import { createFakeEngine, type FakeRun, fakeFlow, fakeRequest } from './fake-run.ts';
import { createHandHost, type HandHost } from './hand-host.ts';

export interface HubBed {
  readonly host: HandHost;
  readonly hub: RunHub;
  readonly history: RunHistory;
  readonly load: { late: boolean };
  readonly runs: readonly FakeRun[];
  /** Starts a run of a flow and returns the fake to control it. */
  start(flow?: string, settings?: FlowSettings, more?: Partial<RunRequest>): FakeRun;
}

export interface HubBedOptions extends Partial<Omit<RunHubDeps, 'host' | 'load' | 'start'>> {
  readonly script?: (run: FakeRun) => void;
  readonly host?: HandHost;
}

/** A run hub over a host and an engine that a test controls. */
export function createHubBed(options: HubBedOptions = {}): HubBed {
  const { script, host = createHandHost(), history = createMemoryHistory(), ...more } = options;
  const engine = createFakeEngine(script);
  const load = { late: false, close() {} };
  const log = pino({ level: 'silent' });
  const variables = () => ({});
  const hub = createRunHub({
    host,
    history,
    log,
    maxRuns: 100,
    variables,
    load,
    start: engine.start,
    ...more,
  });
  return {
    host,
    hub,
    history,
    load,
    runs: engine.runs,
    start(flow = 'hello', settings = {}, request = {}) {
      hub.start(fakeRequest(fakeFlow(flow, settings), request));
      return engine.last;
    },
  };
}

/** Sequence numbers as a watcher saw them; a gap as `from-to`. */
export function seqs(items: readonly ({ seq: number } | Gap)[]): (number | string)[] {
  return items.map((item) => ('seq' in item ? item.seq : `${item.from}-${item.to}`));
}
