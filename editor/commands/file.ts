import {
  Database,
  CloudUpload,
  Download,
  History,
  House,
  Lock,
  MonitorSmartphone,
  Save,
  Undo2,
} from 'lucide-react';
import { formatFlow } from '#engine/check';
import { downloadText } from '../ui/download.ts';
import { type Command, defineCommand, problemsFound, type Session } from './command.ts';

/** The flow as a whole: saving, publishing, leaving. */

const isUnsaved = ({ editor }: Session): boolean => editor.getState().saveState !== 'saved';

const mayWrite = ({ sync }: Session): true | string =>
  !sync.getState().record.readOnly || 'This server is read-only.';

export const saveCommand = defineCommand({
  id: 'save',
  label: 'Save',
  group: 'File',
  keys: ['Mod+S'],
  icon: Save,
  enabled: (session) => (isUnsaved(session) ? mayWrite(session) : 'Everything is saved.'),
  run: ({ actions }) => actions.save(),
});

export const autosaveCommand = defineCommand({
  id: 'autosave',
  label: 'Save by itself, on or off',
  group: 'File',
  icon: Save,
  run: ({ ui }) => {
    const autosave = !ui.getState().autosave;
    const announcement = autosave ? 'Edits are saved by themselves' : 'Edits are saved by hand';
    ui.setState({ autosave, announcement });
  },
});

export const publishCommand = defineCommand({
  id: 'publish',
  label: 'Publish',
  group: 'File',
  keys: ['Mod+Shift+S'],
  icon: CloudUpload,
  enabled: (session) => {
    if (!isUnsaved(session) && !session.sync.getState().record.hasDraft)
      return 'The saved state is live already.';
    const hasErrors = session.editor.getState().problems.some(({ severity }) => severity === 'error');
    if (hasErrors)
      return 'The flow has problems that keep it from going live; the panel Problems lists them.';
    return mayWrite(session);
  },
  ready: problemsFound,
  run: ({ actions }) => actions.publish(),
});

export const rollBackCommand = defineCommand({
  id: 'roll-back',
  label: 'Roll back to the version before',
  group: 'File',
  icon: History,
  enabled: (session) =>
    session.sync.getState().record.version === undefined ? 'The flow is not live.' : mayWrite(session),
  run: ({ actions }) => actions.rollBack(),
});

export const discardCommand = defineCommand({
  id: 'discard-draft',
  label: 'Discard the draft',
  group: 'File',
  icon: Undo2,
  enabled: ({ sync }) => {
    const { record } = sync.getState();
    if (!record.hasDraft) return 'There is no draft.';
    return record.state !== 'draft' || 'The flow is only a draft; delete it in the list of flows instead.';
  },
  run: ({ actions }) => actions.discard(),
});

export const exportCommand = defineCommand({
  id: 'export',
  label: 'Export as a file',
  group: 'File',
  icon: Download,
  run: ({ editor }) => {
    const { flow } = editor.getState().doc;
    downloadText(`${flow.id}.json`, formatFlow(flow));
  },
});

export const homeCommand = defineCommand({
  id: 'home',
  label: 'All flows',
  group: 'File',
  icon: House,
  run: ({ actions }) => actions.goTo('/'),
});

export const connectionsCommand = defineCommand({
  id: 'connections',
  label: 'All connections',
  icon: Database,
  group: 'File',
  run: ({ actions }) => actions.goTo('/connections'),
});

export const secretsCommand = defineCommand({
  id: 'secrets',
  label: 'All secrets',
  group: 'File',
  icon: Lock,
  run: ({ actions }) => actions.goTo('/secrets'),
});

export const inviteCommand = defineCommand({
  id: 'invite',
  label: 'Sign in another browser…',
  group: 'File',
  icon: MonitorSmartphone,
  run: ({ ui }) => ui.setState({ overlay: { kind: 'invite' } }),
});

export const fileCommands: readonly Command[] = [
  saveCommand,
  autosaveCommand,
  publishCommand,
  rollBackCommand,
  discardCommand,
  exportCommand,
  homeCommand,
  secretsCommand,
  connectionsCommand,
  inviteCommand,
];
