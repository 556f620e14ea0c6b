import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { FlowSummary } from '#shared/api.ts';
import { countText } from '../ui/format.ts';
import { toast } from '../ui/toast.ts';
import type { Refused } from './import-files.ts';

/** Imports files and reports the results; refused files are listed until the list is closed. */
export function useImport(flows: readonly FlowSummary[]) {
  const [refused, setRefused] = useState<readonly Refused[]>([]);
  const navigate = useNavigate();
  const queries = useQueryClient();

  async function take(files: Iterable<File>): Promise<void> {
    const texts = await Promise.all(
      [...files].map(async (file) => ({ name: file.name, text: await file.text() })),
    );
    if (texts.length === 0) return;
    const { importFiles } = await import('./import-files.ts');
    const { imported, refused: bad } = await importFiles(texts, flows);
    setRefused(bad);
    await queries.invalidateQueries({ queryKey: ['flows'] });
    const [first] = imported;
    if (first === undefined) return;
    const isOne = imported.length === 1;
    const open = (): void => void navigate({ to: '/flows/$id', params: { id: first } });
    toast(`Imported ${isOne ? `“${first}”` : countText(imported.length, 'flow')}.`, {
      kind: 'success',
      ...(isOne && { action: { label: 'Open', run: open } }),
    });
  }

  return { take, refused, dismiss: () => setRefused([]) };
}
