import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { KnowledgeSpace } from '#shared/knowledge.ts';
import type { ModelInfo } from '#shared/model-provider.ts';
import { addSpace, changeSpace, listDocuments, readAgain } from '../api/knowledge.ts';
import { useChange } from '../session/use-change.ts';
import { FormDialog } from '../ui/FormDialog.tsx';
import { Field } from '../ui/Field.tsx';
import { countText } from '../ui/format.ts';
import { Input, TextArea } from '../ui/Input.tsx';
import { Select } from '../ui/Select.tsx';
import { Checkbox } from '../ui/Switch.tsx';
import { KNOWLEDGE_READS, modelsQuery } from './queries.ts';
import { bodyOf, draftOf, faultsOf, type SpaceDraft, splitsAnew } from './space-draft.ts';

interface SpaceDialogProps {
  /** The space to change; undefined for a new one. */
  space: KnowledgeSpace | undefined;
  /** The name that a new one begins with. */
  name?: string;
  /** Takes the name of a new one, which is then not opened. */
  onMade?(name: string): void;
  onClose(): void;
}

/** Name, embedding model and split of a space. */
export function SpaceDialog(props: SpaceDialogProps) {
  const models = useQuery(modelsQuery);
  // The screens have asked for the models already. A dialog that shows a spinner first would lose the focus to it.
  if (!models.data && !models.isError) return null;
  return <SpaceForm {...props} models={models.data ?? []} />;
}

function SpaceForm({
  space,
  name = '',
  models,
  onMade,
  onClose,
}: SpaceDialogProps & { models: readonly ModelInfo[] }) {
  const offered = models.filter(({ use, provider }) => use === 'embedding' && provider !== 'demo');
  const [draft, setDraft] = useState(() => ({
    ...draftOf(space, offered.find((one) => one.default)?.id ?? ''),
    ...(!space && { name }),
  }));
  const [again, setAgain] = useState(true);
  const { busy, error, change } = useChange(KNOWLEDGE_READS, onClose);
  const queries = useQueryClient();
  const create = useCreation();
  const faults = faultsOf(draft);
  const body = bodyOf(draft);
  const isReady = body.name !== '' && Object.keys(faults).length === 0;
  const asksAgain = space !== undefined && space.documents > 0 && splitsAnew(space, body);
  const save = async (): Promise<void> => {
    if (space === undefined && onMade) {
      await addSpace(body);
      return onMade(body.name);
    }
    if (space === undefined) return await create(body);
    queries.setQueryData(['knowledge-space', space.id], await changeSpace(space.id, body));
    if (asksAgain && again) await splitAll(space.id, body);
  };
  const patch = (more: Partial<SpaceDraft>): void => setDraft({ ...draft, ...more });
  return (
    <FormDialog
      title={space ? `Settings of “${space.name}”` : 'New space'}
      action={space ? 'Save' : 'Create'}
      isReady={isReady}
      busy={busy}
      error={error}
      onSubmit={() => void change(save)}
      onClose={onClose}
    >
      <NameFields draft={draft} isNew={space === undefined} onChange={patch} />
      <ModelField draft={draft} offered={offered} space={space} onChange={patch} />
      <SplitFields draft={draft} faults={faults} onChange={patch} />
      {asksAgain && (
        <label className="flex items-center gap-2 text-xs">
          <Checkbox label="Split its documents again" checked={again} onCheckedChange={setAgain} />
          Split its {countText(space.documents, 'document')} again
        </label>
      )}
    </FormDialog>
  );
}

function NameFields({ draft, isNew, onChange }: FieldsProps & { isNew: boolean }) {
  return (
    <>
      <Field
        label="Name"
        required
        help={isNew ? undefined : 'Flows refer to it by this name: after a change here, change it there too.'}
      >
        <Input
          autoFocus
          maxLength={200}
          value={draft.name}
          onValueChange={(name) => onChange({ name })}
          placeholder="handbook"
        />
      </Field>
      <Field label="Description">
        <TextArea
          rows={2}
          maxLength={10_000}
          value={draft.description}
          onValueChange={(description) => onChange({ description })}
        />
      </Field>
    </>
  );
}

/** Creates a space and opens it: it waits for its documents. */
function useCreation() {
  const navigate = useNavigate();
  return async (body: ReturnType<typeof bodyOf>): Promise<void> => {
    const { id } = await addSpace(body);
    await navigate({ to: '/knowledge/$space', params: { space: String(id) } });
  };
}

/** Most documents that are read again at once; the largest page of the API. */
const MOST = 1000;

async function splitAll(space: string, { split }: ReturnType<typeof bodyOf>): Promise<void> {
  const { items } = await listDocuments(space, MOST);
  for (const { id } of items) await readAgain(id, split);
}

interface FieldsProps {
  draft: SpaceDraft;
  onChange(more: Partial<SpaceDraft>): void;
}

const NONE = 'none';

function ModelField({
  draft: { model },
  offered,
  space,
  onChange,
}: FieldsProps & { offered: readonly ModelInfo[]; space: KnowledgeSpace | undefined }) {
  const known = offered.map(({ id, default: isDefault }) => ({
    value: id,
    label: id,
    hint: isDefault ? 'The default one' : undefined,
  }));
  // One whose provider is gone stays chosen until another one is.
  const lost =
    model !== '' && !offered.some(({ id }) => id === model)
      ? [{ value: model, label: model, hint: 'No provider has it now' }]
      : [];
  const help =
    offered.length === 0
      ? 'There is no embedding model; add a provider that has one on the screen Models.'
      : space && space.chunks > 0 && (space.model ?? '') !== model && model !== ''
        ? `Its ${countText(space.chunks, 'chunk')} will be embedded with this model.`
        : 'It also finds text that says the same in other words. The words themselves are always searched.';
  return (
    <Field label="Embedding model" help={help}>
      <Select
        value={model === '' ? NONE : model}
        onValueChange={(chosen) => onChange({ model: chosen === NONE ? '' : chosen })}
        options={[{ value: NONE, label: 'None: search by words' }, ...known, ...lost]}
      />
    </Field>
  );
}

const WAYS = [
  { value: 'headings', label: 'Headings', hint: 'At Markdown headings, then paragraphs and sentences' },
  { value: 'sentences', label: 'Sentences', hint: 'At paragraphs and sentences' },
  { value: 'characters', label: 'Characters', hint: 'Between words' },
  { value: 'separator', label: 'A separator', hint: 'At each separator' },
  { value: 'pages', label: 'Pages', hint: 'At pages' },
] as const;

function SplitFields({ draft, faults, onChange }: FieldsProps & { faults: ReturnType<typeof faultsOf> }) {
  return (
    <fieldset className="flex flex-col gap-3 rounded-md border border-line px-3 pt-1 pb-3">
      <legend className="px-1 text-xs font-medium">How documents are split into chunks</legend>
      <Field label="Split at">
        <Select value={draft.by} onValueChange={(by) => onChange({ by })} options={WAYS} />
      </Field>
      {draft.by === 'separator' && (
        <Field label="Separator" help="\n is a line break, \t a tab." error={faults.separator}>
          <Input
            mono
            maxLength={100}
            value={draft.separator}
            onValueChange={(separator) => onChange({ separator })}
          />
        </Field>
      )}
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Chunk size" help="Maximum characters in a chunk." error={faults.size}>
          <Input inputMode="numeric" value={draft.size} onValueChange={(size) => onChange({ size })} />
        </Field>
        <Field
          label="Overlap"
          help="How many characters of a chunk the next one repeats, at most."
          error={faults.overlap}
        >
          <Input
            inputMode="numeric"
            value={draft.overlap}
            onValueChange={(overlap) => onChange({ overlap })}
          />
        </Field>
      </div>
    </fieldset>
  );
}
