/** What a notice tells; its text names the one that it happened to. */
export type Topic =
  /** Names a run: somebody decided about one of its waits. */
  | 'wait-answered'
  /** Names a durable run that may go on, or is to end: whoever executes it looks. */
  | 'run-woken'
  /** Names a durable run that waits or has ended. */
  | 'run-settled'
  /** Restate turned to this server for a durable run that another one may be executing. Names the run, and the question. */
  | 'pass-sought'
  /** A server waits for the steps in flight of such a run, or has handed it over. Names the question. */
  | 'pass-held'
  | 'pass-handed'
  /** A durable run is due, and the server that knows has no room for it. Names nothing. */
  | 'run-due'
  /** Somebody has to be told of a wait. Names nothing. */
  | 'wait-untold'
  /** Flows went live, or no longer are. Names nothing. */
  | 'flows-served'
  /** Flow files changed. Names the flow if only its layout did. */
  | 'flow-files'
  /** The change log has a new entry. Names nothing. */
  | 'changed'
  /** A server has applied the change log up to its end. Names nothing. */
  | 'changes-applied'
  /** The first request with an idempotency key was answered, or its key was freed. Names the key's place. */
  | 'key-answered'
  /** A client has tried a key or a password, or was admitted. Names which of them, and the client. */
  | 'credentials-tried'
  /** Another process than the first one has admitted somebody by an API key. Names the key, and when. */
  | 'key-used'
  /** A run that counted against `settings.maxRuns` is over. Names the place of its flow and key. */
  | 'place-free';

/**
 * Topics whose notices do something by themselves; all others make whoever hears them look at what is stored. On a database where
 * others may send notices too, these are taken from proven servers only.
 */
export const decisiveTopics: ReadonlySet<string> = new Set<Topic>([
  'credentials-tried',
  'key-used',
  'pass-sought',
  'pass-held',
  'pass-handed',
]);

/**
 * Short notices to whoever listens, in this server and in others on the same database. `bus.contract.ts` tests every implementation.
 * B1. A notice is a hint. One may be lost when the connection to the database breaks; `onGap` says so afterwards, and whoever
 *     must not miss anything looks for itself then.
 * B2. Listeners of this server are called before `publish` returns, those of others soon after. Notices of one server arrive in
 *     their order, each once.
 * B3. A listener that throws keeps nobody else from a notice.
 */
export interface Bus {
  /** `name` has at most 1,000 characters. */
  publish(topic: Topic, name?: string): void;
  /** `isOwn`: this server published it. Returns the function that ends it. */
  subscribe(topic: Topic, listener: (name: string, isOwn: boolean) => void): () => void;
  /** Called after notices of other servers may have been lost. Returns the function that ends it. */
  onGap(listener: () => void): () => void;
  /** Sends what was published. */
  close(): Promise<void>;
}

/** A bus within one server, which can also be told what others published; `failed` gets what listeners throw. */
export function createLocalBus(
  failed: (error: unknown) => void,
): Bus & { receive(topic: Topic, name: string): void } {
  const listeners = new Map<Topic, Set<(name: string, isOwn: boolean) => void>>();
  const tell = (topic: Topic, name: string, isOwn: boolean): void => {
    for (const listener of listeners.get(topic) ?? []) {
      try {
        listener(name, isOwn);
      } catch (error) {
        failed(error);
      }
    }
  };
  return {
    publish: (topic, name = '') => tell(topic, name, true),
    receive: (topic, name) => tell(topic, name, false),
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
