/** @param {string | Date} at */
export function formatMoment(at) {
  return new Date(at).toLocaleString('pt-BR', { dateStyle: 'short', timeStyle: 'short' });
}

/** @param {string} at */
export function formatDay(at) {
  return new Date(at).toLocaleDateString('pt-BR', { weekday: 'long', day: 'numeric', month: 'long' });
}

/** @param {string} at */
export function formatClock(at) {
  return new Date(at).toLocaleTimeString('pt-BR', { hour: '2-digit', minute: '2-digit' });
}

/**
 * The time of today, or the date of an earlier day.
 * @param {string} at
 */
export function formatShortly(at) {
  const date = new Date(at);
  if (date.toDateString() === new Date().toDateString()) return formatClock(at);
  return date.toLocaleDateString('pt-BR', { day: '2-digit', month: '2-digit' });
}
