import { Eye } from 'lucide-react';
import { watchNodes, watchOf } from '../model/document/watch.ts';
import { countText } from '../ui/format.ts';
import { defineCommand } from './command.ts';

/** Shows the last output of the selected nodes below them, or hides it if all of them are watched. */
export const watchCommand = defineCommand({
  id: 'watch',
  label: 'Watch the output, or stop watching it',
  words: ['inspect', 'debug', 'preview', 'show value'],
  group: 'Node',
  edits: true,
  keys: ['W'],
  icon: Eye,
  menu: ['node', 'selection'],
  enabled: ({ editor }) => editor.getState().selectedNodes.size > 0 || 'Select a node first.',
  run: ({ editor, ui }) => {
    const { doc, selectedNodes, commit } = editor.getState();
    const isOff = [...selectedNodes].every((id) => watchOf(doc, id) !== undefined);
    commit(isOff ? 'Stop watching' : 'Watch', (draft) =>
      watchNodes(draft, selectedNodes, isOff ? undefined : 'auto'),
    );
    const count = countText(selectedNodes.size, 'node');
    ui.setState({ announcement: `${count} ${isOff ? 'no longer watched' : 'watched'}` });
  },
});
