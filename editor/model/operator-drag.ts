/** The data of an operator that is dragged from the picker to the canvas. */
export const OPERATOR_MIME = 'application/x-weft-operator';
