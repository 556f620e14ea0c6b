import { SourceFacts } from '../triggers/SourceFacts.tsx';
import { Section } from './Section.tsx';

/** Whether a trigger that starts runs by itself does so, and what it did last. */
export function SourceStatus({ id }: { id: string }) {
  return (
    <Section title="Source">
      <SourceFacts id={id} />
    </Section>
  );
}
