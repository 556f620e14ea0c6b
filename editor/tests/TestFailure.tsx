import type { FlowTestResult } from '#shared/flow-test-api.ts';
import { revealNodes } from '../commands/view.ts';
import { useNodeTitle } from '../session/use-node-title.ts';
import { useEditor, useSession } from '../session/session.tsx';
import { countText } from '../ui/format.ts';
import { ProseText } from '../ui/ProseText.tsx';
import { ValueChange } from '../ui/ValueChange.tsx';
import { groupDifferences } from './results.ts';
import { flatFlow } from '../model/document/flat.ts';

const MOST = 50;
const SIDES = ['expected', 'got'] as const;

/** Expected and actual results of a test, node by node. */
export function TestFailure({ result: { differences, error } }: { result: FlowTestResult }) {
  const nodes = useEditor((editor) => flatFlow(editor.doc.flow).nodes);
  const groups = groupDifferences(differences.slice(0, MOST), (node) => nodes[node] !== undefined);
  return (
    <div className="flex flex-col gap-2 py-1 pl-6 text-xs">
      {error && (
        <p className="text-bad">
          <ProseText text={error.message} />
          {error.code === 'service_missing' &&
            ' A test reaches nothing outside: write what the node answers into `outputs` of the test.'}
        </p>
      )}
      {groups.map(({ node, differences: own }) => (
        <div key={node ?? ''} className="flex flex-col gap-1">
          {node !== undefined && <NodeLink node={node} />}
          {own.map(({ path, expected, actual }) => (
            <ValueChange key={path} place={path} before={expected} after={actual} sides={SIDES} />
          ))}
        </div>
      ))}
      {differences.length > MOST && (
        <p className="text-text-2">And {countText(differences.length - MOST, 'difference')} more.</p>
      )}
    </div>
  );
}

function NodeLink({ node }: { node: string }) {
  const session = useSession();
  const title = useNodeTitle();
  return (
    <button
      type="button"
      className="self-start font-medium hover:underline"
      onClick={() => {
        session.editor.getState().select([node]);
        revealNodes(session, [node]);
      }}
    >
      {title(node)}
    </button>
  );
}
