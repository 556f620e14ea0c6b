import { CirclePlay, CircleStop, Clock, MessageCircle, Play, TextCursorInput, Webhook } from 'lucide-react';
import { CHAT_TRIGGER, type Trigger, triggersOf } from '../model/form/triggers.ts';
import { lastInput, readInputs } from '../state/run-inputs.ts';
import { isOver } from '../state/run-status.ts';
import { type Command, defineCommand, type Session } from './command.ts';

/** Starting, stopping, listening, looking back. */
function triggers({ editor }: Session): Trigger[] {
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

/** Runs with the input of the last run, or asks for one; a flow with a chat trigger opens its chat. */
export async function runLast(session: Session, pins: boolean): Promise<void> {
  const trigger = lastTrigger(session);
  if (trigger?.operator === CHAT_TRIGGER) {
    session.ui.setState({ panel: 'chat' });
    return;
  }
  const last = trigger && lastInput(session.editor.getState().doc.flow.id, trigger);
  if (trigger && last) await session.actions.run(last.input, trigger.node, pins);
  else session.ui.setState({ overlay: { kind: 'run-form', ...(!pins && { pins }) } });
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
  run: (session) => runLast(session, true),
});

export const runWithInputCommand = defineCommand({
  id: 'run-with-input',
  label: 'Run with input…',
  group: 'Run',
  keys: ['Mod+Shift+Enter'],
  icon: TextCursorInput,
  enabled: canRun,
  run: ({ ui }) => ui.setState({ overlay: { kind: 'run-form' } }),
});

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
  chatCommand,
  stopRunCommand,
  listenCommand,
  openLastRunCommand,
  followRunsCommand,
];
