import { createStore, type StoreApi } from 'zustand/vanilla';
import { callTrigger, draftBase, liveBase, type TriggerAnswer } from '../api/trigger-call.ts';
import type { Session } from '../commands/command.ts';
import { parsedJson } from '../form/json-text.ts';
import { fileFields } from '../model/form/files-in.ts';
import { recordOf } from '../model/form/schema-shapes.ts';
import { type HttpRequest, requestOf } from '../model/form/trigger-request.ts';
import type { HttpTrigger, Trigger } from '../model/form/triggers.ts';
import { type Example, readInputs, rememberInput } from '../state/run-inputs.ts';

export type CallableTrigger = Trigger & { readonly http: HttpTrigger };
export type Target = 'live' | 'draft';

/** The state of the trigger tester of the open flow; lives as long as the flow is open, including the key. */
export interface TesterState {
  /** The chosen trigger; the first one if the flow does not have the chosen one. */
  readonly node: string | undefined;
  readonly target: Target | undefined;
  readonly method: string | undefined;
  /** JSON by trigger, while it is being written. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Files by field, for a request that takes some; the field '' is the whole body. */
  readonly files: Readonly<Record<string, readonly File[]>>;
  readonly headers: string;
  /** Never stored: gone with the page. */
  readonly key: string;
  readonly sending: boolean;
  readonly answer: TriggerAnswer | undefined;
  /** Why there is no answer. */
  readonly failure: string | undefined;
}

export type TesterStore = StoreApi<TesterState>;

const stores = new WeakMap<Session, TesterStore>();

export function testerOf(session: Session): TesterStore {
  const store = stores.get(session) ?? createTester();
  stores.set(session, store);
  return store;
}

function createTester(): TesterStore {
  return createStore<TesterState>()(() => ({
    node: undefined,
    target: undefined,
    method: undefined,
    inputs: {},
    files: {},
    headers: '',
    key: '',
    sending: false,
    answer: undefined,
    failure: undefined,
  }));
}

/** The text of a trigger's input: the current draft, the last one used, or a sample. */
export function inputText(state: TesterState, call: Call): string {
  const { node } = call.trigger;
  return (
    state.inputs[node] ?? readInputs(call.flow).inputs[node] ?? JSON.stringify(textSample(call), null, 2)
  );
}

export function methodOf(state: TesterState, { http }: CallableTrigger): string {
  const { method } = state;
  return method !== undefined && http.methods.includes(method) ? method : (http.methods[0] ?? 'GET');
}

export interface Call {
  readonly flow: string;
  readonly trigger: CallableTrigger;
  readonly target: Target;
  /** An input to start with. */
  readonly sample: unknown;
}

/** The request as it would be sent now; undefined while the input is not valid JSON. */
export function currentRequest(state: TesterState, call: Call): HttpRequest | undefined {
  const { flow, trigger, target } = call;
  const parsed = parsedJson(inputText(state, call));
  if ('fault' in parsed) return undefined;
  const needsKey = target === 'live' && trigger.http.auth === 'api-key';
  return requestOf({
    trigger: trigger.http,
    method: methodOf(state, trigger),
    base: target === 'live' ? liveBase() : draftBase(flow),
    input: parsed.value,
    files: filesOf(state, call),
    headers: state.headers,
    key: needsKey ? state.key.trim() : '',
  });
}

/** The sample without its files, which have fields of their own. */
function textSample({ trigger: { schema, http }, sample }: Call): unknown {
  const files = fileFields(schema, http.accept).map(({ name }) => name);
  const fields = recordOf(sample);
  if (files.length === 0 || !fields) return sample;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !files.includes(name)));
}

/** The files of the fields that the trigger has. */
function filesOf({ files }: TesterState, { trigger: { schema, http } }: Call): TesterState['files'] {
  const fields = fileFields(schema, http.accept);
  return Object.fromEntries(fields.map(({ name }) => [name, files[name] ?? []]));
}

export function applyExample(store: TesterStore, { trigger, method, input, headers }: Example): void {
  const { inputs } = store.getState();
  store.setState({ node: trigger, method, headers, inputs: { ...inputs, [trigger]: input } });
}

/** Sends the request and puts the run that it started on the canvas. A draft is saved first. */
export async function send(session: Session, call: Call): Promise<void> {
  const store = testerOf(session);
  const request = currentRequest(store.getState(), call);
  if (!request) return;
  const { editor, saver, runs } = session;
  store.setState({ sending: true, failure: undefined });
  try {
    const isSaved = call.target === 'live' || editor.getState().saveState === 'saved' || (await saver.save());
    if (!isSaved) {
      store.setState({ failure: 'The flow could not be saved, so the draft was not called.' });
      return;
    }
    rememberInput(call.flow, call.trigger.node, inputText(store.getState(), call));
    const as = call.target === 'live' ? 'caller' : 'editor';
    const answer = await callTrigger(request, as, AbortSignal.timeout(300_000));
    store.setState({ answer });
    const { follow, actions } = runs.getState();
    if (answer.run !== undefined && !follow) await actions.open(answer.run);
  } catch (error) {
    store.setState({ failure: failureText(error) });
  } finally {
    store.setState({ sending: false });
  }
}

function failureText(error: unknown): string {
  if ((error as Error).name === 'TimeoutError') return 'No answer came within five minutes.';
  return 'The server cannot be reached, or the request could not be sent. Is it running?';
}
