import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** Shows the item that the address names with `open`, once the list is there; the name then leaves the address. */
export function useOpened<T extends { readonly name: string }>(
  list: readonly T[] | undefined,
  show: (item: T) => void,
): void {
  const { open } = useSearch({ strict: false });
  const navigate = useNavigate();
  const latest = useRef(show);
  latest.current = show;
  useEffect(() => {
    if (open === undefined || list === undefined) return;
    const item = list.find(({ name }) => name === open);
    if (item) latest.current(item);
    void navigate({ to: '.', search: {}, replace: true });
  }, [open, list, navigate]);
}
