import { expect, onTestFinished, test } from 'vitest';
import { sessionOf } from '../commands/testing/session.ts';
import { removeNodes, setNodeField } from '../model/document/edit.ts';
import { renameNodeId } from '../model/document/rename-node.ts';
import { docOf } from '../model/testing/docs.ts';
import { watchPins } from './renamed-pins.ts';

/** A flow whose node `say` is pinned, and the reported renames of pins. */
function bed() {
  const { editor, runs } = sessionOf(
    docOf({ manual: 'trigger.manual', say: 'text.template', other: 'text.template' }, [
      'manual.out > say.in',
    ]),
  );
  runs.setState({ pins: { say: { out: 1 } } });
  const told: string[] = [];
  onTestFinished(
    watchPins({ editor, runs }, (from, to) => {
      told.push(`${from} > ${to}`);
      runs.setState({ pins: { [to]: { out: 1 } } });
    }),
  );
  return { editor: () => editor.getState(), told };
}

test('a pin follows its node to another id, back when that is undone, and there again when it is redone', () => {
  const { editor, told } = bed();
  editor().commit('Rename', (draft) => {
    setNodeField(draft, 'say', 'name', 'Said');
    renameNodeId(draft, 'say', 'said');
  });
  editor().commit('Rename', (draft) => renameNodeId(draft, 'said', 'told'));
  editor().undo();
  editor().undo();
  editor().redo();
  expect(told).toEqual(['say > said', 'said > told', 'told > said', 'said > say', 'say > said']);
});

test('a pin stays where it is when its node is removed, and when another one is renamed', () => {
  const { editor, told } = bed();
  editor().commit('Rename', (draft) => renameNodeId(draft, 'other', 'third'));
  editor().commit('Replace', (draft) => {
    removeNodes(draft, ['say']);
    draft.flow.nodes['elsewhere'] = { operator: 'text.template' };
    draft.layout.nodes['elsewhere'] = { x: 5000, y: 5000 };
  });
  editor().undo();
  expect(told).toEqual([]);
});
