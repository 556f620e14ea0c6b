import { type Type, union, without } from './type.ts';

/** What the elements of an array are when those of them that are arrays are replaced by their own, so many levels deep. */
export function opened(element: Type, levels: number): Type {
  if (levels < 1 || !element.array) return element;
  return union(without(element, 'array'), opened(element.array, levels - 1));
}
