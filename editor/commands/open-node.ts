import { Settings2 } from 'lucide-react';
import { defineCommand, type Session } from './command.ts';

export const hasOneNode = ({ editor }: Session): true | string =>
  editor.getState().selectedNodes.size === 1 || 'Select one node first.';

export const openNodeCommand = defineCommand({
  id: 'open-node',
  label: 'Open: input, settings, output',
  words: ['settings'],
  group: 'Node',
  keys: ['Enter'],
  icon: Settings2,
  menu: ['node'],
  enabled: hasOneNode,
  run: ({ editor, ui }) => {
    const [nodeView] = editor.getState().selectedNodes;
    ui.setState({ panel: 'inspector', focusField: 'params', nodeView });
  },
});
