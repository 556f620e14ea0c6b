import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { TemplateNeed } from '#shared/template.ts';
import { listConnections, listSecrets } from '../api/flows.ts';
import { listSpaces } from '../api/knowledge.ts';
import { listModels } from '../api/models.ts';
import { Spinner } from '../ui/Spinner.tsx';

interface NeedStepProps {
  need: TemplateNeed;
  chosen: string | undefined;
  onChoose(choice: string): void;
}

interface Choice {
  readonly value: string;
  readonly title: string;
  readonly text: string;
}

/** One thing that a template needs: what there is on this server to choose from. */
export function NeedStep({ need, chosen, onChoose }: NeedStepProps) {
  const { data: choices, error } = useQuery({
    queryKey: ['template-need', need.kind, need.name],
    queryFn: () => choicesFor(need),
  });
  const first = choices?.[0]?.value;
  useEffect(() => {
    if (chosen === undefined && first !== undefined) onChoose(first);
  }, [chosen, first, onChoose]);
  return (
    <div className="flex flex-col gap-3">
      <p>{need.text}</p>
      {error && <p className="text-bad">{error.message}</p>}
      {!choices && !error && <Spinner label="Looking for what there is" className="size-5" />}
      {choices?.length === 0 && (
        <p className="text-text-2">
          This server has none yet. Go on with <em>Later</em>: the draft says what is missing, and you add it
          there.
        </p>
      )}
      {choices && choices.length > 0 && (
        <RadioGroup
          aria-label={need.title}
          value={chosen ?? first}
          onValueChange={(value) => onChoose(String(value))}
          className="flex max-h-64 flex-col gap-2 overflow-y-auto p-0.5"
        >
          {choices.map(({ value, title, text }) => (
            <Radio.Root
              key={value}
              value={value}
              nativeButton
              render={<button type="button" />}
              className="flex flex-col items-start rounded-lg border border-line px-3 py-2 text-left hover:border-line-strong data-checked:border-accent data-checked:bg-accent-soft"
            >
              <span className="font-medium">{title}</span>
              <span className="text-xs text-text-2">{text}</span>
            </Radio.Root>
          ))}
        </RadioGroup>
      )}
    </div>
  );
}

/** What fits, the best first. */
async function choicesFor({ kind, kinds = [], name }: TemplateNeed): Promise<Choice[]> {
  switch (kind) {
    case 'model': {
      const models = (await listModels()).filter(({ use }) => use === 'chat');
      const all = models.map(({ id, provider }) => ({
        value: id,
        title: id,
        text:
          provider === 'demo'
            ? 'Built in: it answers without an account, by simple rules.'
            : `Of the provider ${provider}.`,
      }));
      return all.sort((a, b) => Number(b.value === name) - Number(a.value === name));
    }
    case 'connection': {
      const fitting = (await listConnections()).filter((one) => kinds.includes(one.kind));
      return fitting.map(({ name: value, kind: its }) => ({
        value,
        title: value,
        text: `A connection: ${its}.`,
      }));
    }
    case 'space':
      return (await listSpaces()).map(({ name: value, description }) => ({
        value,
        title: value,
        text: description || 'A knowledge space.',
      }));
    case 'secret':
      return (await listSecrets()).map(({ name: value }) => ({
        value,
        title: value,
        text: 'A secret of this server.',
      }));
  }
}
