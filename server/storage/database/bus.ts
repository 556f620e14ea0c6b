/** The subject of a notice; its name identifies the thing concerned. */
export type Topic =
  /** Names a run: one of its waits was decided. */
  | 'wait-answered'
  /** Names a durable run that may go on, or has to end: the server that executes it looks. */
  | 'run-woken'
  /** Names a durable run that waits or has ended. */
  | 'run-settled'
  /** Restate called this server for a durable run that another one may be executing. Names the run and the question. */
  | 'pass-sought'
  /** A server waits for the steps in flight of such a run, or has handed it over. Names the question. */
  | 'pass-held'
  | 'pass-handed'
  /** A durable run is due, and the server that knows has no capacity for it. No name. */
  | 'run-due'
  /** A wait has to be notified to people. No name. */
  | 'wait-untold'
  /** Flows went live or stopped being live. No name. */
  | 'flows-served'
  /** Flow files changed. Names the flow if only its layout did. */
  | 'flow-files'
  /** The change log has a new entry. No name. */
  | 'changed'
  /** A server has applied the change log up to its end. No name. */
  | 'changes-applied'
  /** The first request with an idempotency key was answered, or its key was freed. Names the stored key. */
  | 'key-answered'
  /** A client tried a key or a password, or was admitted. Names the credential and the client. */
  | 'credentials-tried'
  /** A process other than the first one admitted a request by an API key. Names the key and the time. */
  | 'key-used'
  /** A run that counted against `settings.maxRuns` is over. Names the place of its flow and key. */
  | 'place-free';

/**
 * Topics whose notices have an effect by themselves; all others only make listeners look at the stored data. On a database where
 * other roles can send notices, these are accepted from proven servers only.
 */
export const decisiveTopics: ReadonlySet<string> = new Set<Topic>([
  'credentials-tried',
  'key-used',
  'pass-sought',
  'pass-held',
  'pass-handed',
]);

/**
 * Short notices to the listeners of this server and of others on the same database. `bus.contract.ts` tests every implementation.
 * B1. A notice is a hint. One may be lost when the connection to the database breaks; `onGap` is called afterwards, and listeners
 *     that must not miss anything look for themselves then.
 * B2. Listeners of this server are called before `publish` returns, those of others soon after. Notices of one server arrive once
 *     each, in order.
 * B3. A listener that throws does not keep a notice from the others.
 */
export interface Bus {
  /** `name` has at most 1,000 characters. */
  publish(topic: Topic, name?: string): void;
  /** `isOwn`: this server published it. Returns a function that unsubscribes. */
  subscribe(topic: Topic, listener: (name: string, isOwn: boolean) => void): () => void;
  /** Called after notices of other servers may have been lost. Returns a function that unsubscribes. */
  onGap(listener: () => void): () => void;
  /** Sends the published notices. */
  close(): Promise<void>;
}

/** A bus within one server. `receive` hands it the notices of other servers; `failed` gets what listeners throw. */
export function createLocalBus(
  failed: (error: unknown) => void,
): Bus & { receive(topic: Topic, name: string): void } {
  const listeners = new Map<Topic, Set<(name: string, isOwn: boolean) => void>>();
  const deliver = (topic: Topic, name: string, isOwn: boolean): void => {
    for (const listener of listeners.get(topic) ?? []) {
      try {
        listener(name, isOwn);
      } catch (error) {
        failed(error);
      }
    }
  };
  return {
    publish: (topic, name = '') => deliver(topic, name, true),
    receive: (topic, name) => deliver(topic, name, false),
    subscribe(topic, listener) {
      const all = listeners.get(topic) ?? new Set();
      // One function may be subscribed twice.
      const own = (name: string, isOwn: boolean): void => listener(name, isOwn);
      listeners.set(topic, all.add(own));
      return () => void all.delete(own);
    },
    // Nothing is lost on the way within a process.
    onGap: () => () => {},
    close: () => Promise.resolve(),
  };
}
