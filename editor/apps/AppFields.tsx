import { useQuery } from '@tanstack/react-query';
import { listPartners } from '../api/chat.ts';
import { Field } from '../ui/Field.tsx';
import { Input, TextArea } from '../ui/Input.tsx';
import { Select } from '../ui/Select.tsx';
import type { AppDraft } from './app-draft.ts';
import { MODES, modeName } from './modes.ts';

interface AppFieldsProps {
  draft: AppDraft;
  onChange(more: Partial<AppDraft>): void;
}

const LANGUAGES = [
  { value: 'en', label: 'English' },
  { value: 'zh', label: 'Chinese' },
] as const;

/** The name of an app, and who answers in it. */
export function AppFields({ draft, onChange }: AppFieldsProps) {
  const { name, description, mode, language, agents } = draft;
  const isOwn = mode === 'single_agent' && agents.length === 0;
  return (
    <section
      aria-label="The app"
      className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-4"
    >
      <Field label="Name" required>
        <Input
          autoFocus
          maxLength={255}
          value={name}
          onValueChange={(next) => onChange({ name: next })}
          placeholder="Support desk"
        />
      </Field>
      <Field
        label="Description"
        help={isOwn ? 'Without an agent, these are its instructions.' : 'Clients show it to people.'}
      >
        <TextArea
          rows={3}
          maxLength={4000}
          value={description}
          onValueChange={(next) => onChange({ description: next })}
        />
      </Field>
      <Field label="Answered by" help={MODES.find(({ value }) => value === mode)?.hint}>
        <Select
          value={mode}
          onValueChange={(next) => onChange({ mode: next })}
          options={
            MODES.some(({ value }) => value === mode)
              ? MODES
              : [...MODES, { value: mode, label: modeName(mode) }]
          }
        />
      </Field>
      {mode === 'awel_layout' && <FlowChoice flow={draft.flow} onChange={(flow) => onChange({ flow })} />}
      <Field label="Language">
        <Select value={language} onValueChange={(next) => onChange({ language: next })} options={LANGUAGES} />
      </Field>
    </section>
  );
}

const PREFIX = 'flow:';

/** The flows that have a chat trigger. */
function FlowChoice({ flow, onChange }: { flow: string; onChange(flow: string): void }) {
  const partners = useQuery({ queryKey: ['partners'], queryFn: listPartners });
  const flows = (partners.data ?? []).filter(({ id }) => id.startsWith(PREFIX));
  const options = flows.map(({ id, name }) => ({
    value: id.slice(PREFIX.length),
    label: name || id.slice(PREFIX.length),
    hint: id.slice(PREFIX.length),
  }));
  const isLost = flow !== '' && !options.some(({ value }) => value === flow);
  return (
    <Field
      label="Flow"
      required
      help={
        partners.isSuccess && flows.length === 0
          ? 'No live flow starts with a chat message yet.'
          : 'A live flow that starts with a chat message.'
      }
    >
      <Select
        value={flow === '' ? undefined : flow}
        onValueChange={onChange}
        options={isLost ? [...options, { value: flow, label: `${flow} (not live)` }] : options}
      />
    </Field>
  );
}
