import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { DocumentMetadata, KnowledgeDocument } from '#shared/knowledge.ts';
import { changeDocument } from '../api/knowledge.ts';
import { useChange } from '../session/use-change.ts';
import { Button } from '../ui/Button.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { Input } from '../ui/Input.tsx';
import { Select } from '../ui/Select.tsx';
import { KNOWLEDGE_READS } from './queries.ts';

type Kind = 'text' | 'number' | 'yes or no';

interface Row {
  readonly key: number;
  readonly field: string;
  readonly kind: Kind;
  readonly value: string;
}

interface MetadataDialogProps {
  document: KnowledgeDocument;
  onClose(): void;
}

/** The metadata of a document; searches can be limited by it. */
export function MetadataDialog({ document: { id, name, metadata }, onClose }: MetadataDialogProps) {
  const [rows, setRows] = useState(() => rowsOf(metadata));
  const { busy, error, change } = useChange(KNOWLEDGE_READS, onClose);
  const fault = faultOf(rows);
  const patch = (key: number, more: Partial<Row>): void =>
    setRows(rows.map((row) => (row.key === key ? { ...row, ...more } : row)));
  const add = (): void =>
    setRows([
      ...rows,
      { key: Math.max(0, ...rows.map(({ key }) => key)) + 1, field: '', kind: 'text', value: '' },
    ]);
  return (
    <FormDialog
      title={`Metadata of “${name}”`}
      description="Searches can be limited to documents with these values."
      action="Save"
      isReady={fault === undefined}
      busy={busy}
      error={fault ?? error}
      onSubmit={() => void change(() => changeDocument(id, metadataOf(rows)))}
      onClose={onClose}
    >
      {rows.map((row) => (
        <MetadataRow
          key={row.key}
          row={row}
          onChange={(more) => patch(row.key, more)}
          onRemove={() => setRows(rows.filter(({ key }) => key !== row.key))}
        />
      ))}
      <Button className="self-start" icon={Plus} onClick={add}>
        Add a field
      </Button>
    </FormDialog>
  );
}

interface MetadataRowProps {
  row: Row;
  onChange(more: Partial<Row>): void;
  onRemove(): void;
}

const KINDS = (['text', 'number', 'yes or no'] as const).map((value) => ({ value, label: value }));
const TRUTHS = [
  { value: 'true', label: 'yes' },
  { value: 'false', label: 'no' },
];

function MetadataRow({ row: { field, kind, value }, onChange, onRemove }: MetadataRowProps) {
  const what = field === '' ? 'the new field' : field;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Input
        autoFocus={field === ''}
        className="w-36 flex-1"
        maxLength={100}
        aria-label="Field"
        placeholder="year"
        value={field}
        onValueChange={(next) => onChange({ field: next })}
      />
      <Select
        className="w-28"
        label={`Kind of ${what}`}
        value={kind}
        options={KINDS}
        onValueChange={(next) => onChange({ kind: next, ...(next === 'yes or no' && { value: 'true' }) })}
      />
      {kind === 'yes or no' ? (
        <Select
          className="w-36 flex-1"
          label={`Value of ${what}`}
          value={value}
          options={TRUTHS}
          onValueChange={(next) => onChange({ value: next })}
        />
      ) : (
        <Input
          className="w-36 flex-1"
          maxLength={1000}
          aria-label={`Value of ${what}`}
          inputMode={kind === 'number' ? 'decimal' : 'text'}
          value={value}
          onValueChange={(next) => onChange({ value: next })}
        />
      )}
      <IconButton icon={Trash2} label={`Remove ${what}`} onClick={onRemove} />
    </div>
  );
}

function rowsOf(metadata: DocumentMetadata): Row[] {
  return Object.entries(metadata).map(([field, value], key) => ({
    key,
    field,
    kind: typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'yes or no' : 'text',
    value: String(value),
  }));
}

function metadataOf(rows: readonly Row[]): DocumentMetadata {
  return Object.fromEntries(
    rows.map(({ field, kind, value }) => [
      field.trim(),
      kind === 'number' ? Number(value) : kind === 'yes or no' ? value === 'true' : value,
    ]),
  );
}

function faultOf(rows: readonly Row[]): string | undefined {
  const fields = rows.map(({ field }) => field.trim());
  if (fields.includes('')) return 'Each field needs a name.';
  if (fields.some((field) => /["\\]/.test(field))) return 'The name of a field cannot contain " or \\.';
  const twice = fields.find((field, at) => fields.indexOf(field) !== at);
  if (twice !== undefined) return `The field ${twice} appears twice.`;
  const wrong = rows.find(
    ({ kind, value }) => kind === 'number' && (value.trim() === '' || !Number.isFinite(Number(value))),
  );
  return wrong && `${wrong.field}: ${wrong.value || 'nothing'} is not a number.`;
}
