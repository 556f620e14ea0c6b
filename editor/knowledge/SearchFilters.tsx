import { Plus, X } from 'lucide-react';
import type { DocumentMetadata, KnowledgeDocument, KnowledgeSearch } from '#shared/knowledge.ts';
import { Button } from '../ui/Button.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { Select } from '../ui/Select.tsx';

/** The limits of a search. */
export type Filters = Omit<KnowledgeSearch, 'query'>;

export const NO_FILTERS: Filters = { limit: 5, filter: {}, documents: [], neighbours: 0 };

const LIMITS = [3, 5, 10, 20, 50].map((n) => ({ value: String(n), label: `${n} hits` }));
const NEIGHBOURS = [0, 1, 2, 3].map((n) => ({
  value: String(n),
  label: n === 0 ? 'No context' : `${n} neighbour${n === 1 ? '' : 's'}`,
}));
const ANY = 'any';

interface SearchFiltersProps {
  documents: readonly KnowledgeDocument[];
  filters: Filters;
  onChange(filters: Filters): void;
}

/** Number of hits, documents, and metadata. Values are offered and not typed, since a number and its text differ. */
export function SearchFilters({ documents, filters, onChange }: SearchFiltersProps) {
  return (
    <fieldset aria-label="Filters" className="flex flex-wrap items-center gap-2 text-xs">
      <Select
        size="sm"
        className="w-24"
        label="Number of hits"
        value={String(filters.limit)}
        options={LIMITS}
        onValueChange={(limit) => onChange({ ...filters, limit: Number(limit) })}
      />
      <Select
        size="sm"
        className="w-34"
        label="Neighbouring chunks"
        value={String(filters.neighbours)}
        options={NEIGHBOURS}
        onValueChange={(neighbours) => onChange({ ...filters, neighbours: Number(neighbours) })}
      />
      <Select
        size="sm"
        className="w-44"
        label="Document"
        value={filters.documents[0] === undefined ? ANY : `=${filters.documents[0]}`}
        options={[
          { value: ANY, label: 'Any document' },
          ...documents.map(({ name }) => ({ value: `=${name}`, label: name })),
        ]}
        onValueChange={(name) => onChange({ ...filters, documents: name === ANY ? [] : [name.slice(1)] })}
      />
      <MetadataFilters documents={documents} filters={filters} onChange={onChange} />
    </fieldset>
  );
}

/** Those that are on, with their value, and a button for each other field that documents have. */
function MetadataFilters({ documents, filters, onChange }: SearchFiltersProps) {
  const values = valuesByField(documents);
  const used = Object.keys(filters.filter);
  const free = [...values.keys()].filter((field) => !used.includes(field));
  const setField = (field: string, value: DocumentMetadata[string]): void =>
    onChange({ ...filters, filter: { ...filters.filter, [field]: value } });
  return (
    <>
      {Object.entries(filters.filter).map(([field, value]) => (
        <span key={field} className="flex items-center gap-1">
          {field}
          <Select
            size="sm"
            className="w-32"
            label={field}
            value={JSON.stringify(value)}
            options={(values.get(field) ?? []).map((text) => ({ value: text, label: labelOf(text) }))}
            onValueChange={(text) => setField(field, JSON.parse(text) as DocumentMetadata[string])}
          />
          <IconButton
            size="sm"
            icon={X}
            label={`Remove the filter ${field}`}
            onClick={() => onChange({ ...filters, filter: without(filters.filter, field) })}
          />
        </span>
      ))}
      {free.map((field) => (
        <Button
          key={field}
          size="sm"
          variant="ghost"
          icon={Plus}
          aria-label={`Filter by ${field}`}
          onClick={() =>
            setField(field, JSON.parse(values.get(field)?.[0] ?? '""') as DocumentMetadata[string])
          }
        >
          {field}
        </Button>
      ))}
    </>
  );
}

/** The values that documents have, as JSON, by field. */
function valuesByField(documents: readonly KnowledgeDocument[]): Map<string, string[]> {
  const found = new Map<string, Set<string>>();
  for (const { metadata } of documents)
    for (const [field, value] of Object.entries(metadata))
      found.set(field, (found.get(field) ?? new Set()).add(JSON.stringify(value)));
  return new Map([...found].map(([field, values]) => [field, [...values].sort()]));
}

function labelOf(json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === 'string' ? value : typeof value === 'boolean' ? (value ? 'yes' : 'no') : json;
}

function without<T>(all: Readonly<Record<string, T>>, field: string): Record<string, T> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => name !== field));
}
