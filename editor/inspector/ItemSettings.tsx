import { portsOf, whyNotEach } from '#engine/check';
import { infoOf } from '../model/document/edit.ts';
import { useEditor } from '../session/session.tsx';
import { eachFields } from './node-fields.ts';
import { Section } from './Section.tsx';
import { SwitchedFields } from './SwitchedFields.tsx';
import { nodeIn } from '../model/document/flat.ts';

const EACH = ['each'];

/** Whether the node runs once for each item of a list; offered where its operator can. */
export function ItemSettings({ id }: { id: string }) {
  const isOffered = useEditor(({ doc, catalog }) => {
    const node = nodeIn(doc.flow, id);
    const info = infoOf(catalog, node);
    if (!node || !info) return false;
    return node.each !== undefined || whyNotEach(node, info, portsOf(node, info)) === undefined;
  });
  if (!isOffered) return null;
  return (
    <Section title="Items">
      <SwitchedFields
        path={EACH}
        title="For each item"
        doc="Runs once for each item of a list or stream; `input` is then the item."
        on="Run for each item"
        off="Run once"
        initial={{}}
        fields={eachFields}
      />
    </Section>
  );
}
