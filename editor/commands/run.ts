import {
  CirclePlay,
  CircleStop,
  Clock,
  MessageCircle,
  Play,
  RotateCw,
  TextCursorInput,
  Webhook,
} from 'lucide-react';
import {
  CHAT_TRIGGER,
  declaresFields,
  readsQuery,
  type Trigger,
  triggersOf,
} from '../model/form/triggers.ts';
import { lastInput } from '../state/last-input.ts';
import { readInputs } from '../state/run-inputs.ts';
import { isOver } from '../state/run-status.ts';
import { type Command, defineCommand, problemsFound, type Session } from './command.ts';

/** Starting, stopping, listening, looking back. */

function triggers({ editor }: Session): readonly Trigger[] {
  const { doc, catalog } = editor.getState();
  return triggersOf(doc.flow, catalog);
}

export const canRun = (session: Session): true | string => {
  if (triggers(session).length === 0) return 'Add a trigger first: it says where the flow starts.';
  const errors = session.editor.getState().problems.filter(({ severity }) => severity === 'error').length;
  return errors === 0 || 'The flow has problems that keep it from running; the panel Problems lists them.';
};

/** The trigger of the last run, or the only one. */
function lastTrigger(session: Session): Trigger | undefined {
  const all = triggers(session);
  const { trigger } = readInputs(session.editor.getState().doc.flow.id);
  return all.length === 1 ? all[0] : all.find(({ node }) => node === trigger);
}

/** Asks for an input where the trigger declares fields, otherwise runs at once; a flow with a chat trigger opens its chat. */
export async function runLast(session: Session, pins: boolean): Promise<void> {
  const trigger = lastTrigger(session);
  if (trigger?.operator === CHAT_TRIGGER) {
    session.ui.setState({ panel: 'chat' });
    return;
  }
  const last = trigger && lastInput(session.editor.getState().doc.flow.id, trigger);
  const asks = trigger === undefined || declaresFields(trigger) || waitsForCall(session, trigger);
  if (!asks && last) await session.actions.run({ input: last.input, trigger: trigger.node, pins });
  else session.ui.setState({ overlay: { kind: 'run-form', ...(!pins && { pins }) } });
}

/** Nobody knows yet what a webhook gets: it takes any body, and has neither been called nor run. */
export function waitsForCall(
  { editor, runs }: Pick<Session, 'editor' | 'runs'>,
  { node, http, schema }: Trigger,
): boolean {
  if (!http || schema !== undefined || http.methods.some(readsQuery)) return false;
  const isKnown = readInputs(editor.getState().doc.flow.id).inputs[node] !== undefined;
  return !isKnown && !runs.getState().recent.some(({ trigger }) => trigger === node);
}

export const chatCommand = defineCommand({
  id: 'chat',
  label: 'Chat with this flow',
  group: 'Run',
  icon: MessageCircle,
  enabled: (session) => {
    const isChat = triggers(session).some(({ operator }) => operator === CHAT_TRIGGER);
    return isChat || 'The flow has no chat trigger.';
  },
  run: ({ ui }) => ui.setState({ panel: 'chat' }),
});

export const runCommand = defineCommand({
  id: 'run',
  label: 'Run',
  group: 'Run',
  keys: ['Mod+Enter'],
  icon: Play,
  menu: ['canvas'],
  enabled: canRun,
  ready: problemsFound,
  run: (session) => runLast(session, true),
});

export const runWithInputCommand = defineCommand({
  id: 'run-with-input',
  label: 'Run with input…',
  group: 'Run',
  keys: ['Mod+Shift+Enter'],
  icon: TextCursorInput,
  enabled: canRun,
  ready: problemsFound,
  run: ({ ui }) => ui.setState({ overlay: { kind: 'run-form' } }),
});

/** With the same input, without asking. */
export const runAgainCommand = defineCommand({
  id: 'run-again',
  label: 'Run again',
  group: 'Run',
  keys: ['Mod+Alt+Enter'],
  icon: RotateCw,
  enabled: (session) => {
    const isKnown = session.runs.getState().byHand !== undefined || lastRun(session) !== undefined;
    return isKnown ? canRun(session) : 'It has not been run from here yet.';
  },
  run: async (session) => {
    const { byHand } = session.runs.getState();
    const last = lastRun(session);
    if (byHand) await byHand.again();
    else if (last) await session.actions.run(last);
  },
});

/** The last run of an earlier visit. */
function lastRun(session: Session): { readonly trigger: string; readonly input: unknown } | undefined {
  const trigger = lastTrigger(session);
  const last = trigger && lastInput(session.editor.getState().doc.flow.id, trigger);
  return last && { trigger: trigger.node, input: last.input };
}

export const stopRunCommand = defineCommand({
  id: 'stop-run',
  label: 'Stop the run',
  group: 'Run',
  keys: ['Mod+.'],
  icon: CircleStop,
  enabled: ({ runs }) => {
    const { shown } = runs.getState();
    return (shown !== undefined && !isOver(shown.status)) || 'No run is in progress.';
  },
  run: ({ actions }) => actions.stopRun(),
});

export const listenCommand = defineCommand({
  id: 'listen',
  label: 'Listen for the next call of the draft',
  group: 'Run',
  icon: Webhook,
  enabled: (session) => {
    if (!triggers(session).some(({ http }) => http)) return 'The flow has no trigger that can be called.';
    return canRun(session);
  },
  run: async ({ ui, runs }) => {
    ui.setState({ dockOpen: true, dockTab: 'trigger' });
    await runs.getState().actions.listen();
  },
});

export const openLastRunCommand = defineCommand({
  id: 'open-last-run',
  label: 'Open the last run',
  group: 'Run',
  icon: Clock,
  enabled: ({ runs }) => runs.getState().recent.length > 0 || 'The flow has not run yet.',
  run: async ({ runs, ui }) => {
    const { recent, actions } = runs.getState();
    ui.setState({ dockOpen: true, dockTab: 'runs' });
    if (recent[0]) await actions.open(recent[0].run);
  },
});

export const followRunsCommand = defineCommand({
  id: 'follow-runs',
  label: 'Back to live runs',
  group: 'Run',
  icon: CirclePlay,
  enabled: ({ runs }) => !runs.getState().follow || 'The canvas already follows the newest run.',
  run: ({ runs }) => runs.getState().actions.follow(),
});

export const runCommands: readonly Command[] = [
  runCommand,
  runWithInputCommand,
  runAgainCommand,
  chatCommand,
  stopRunCommand,
  listenCommand,
  openLastRunCommand,
  followRunsCommand,
];
