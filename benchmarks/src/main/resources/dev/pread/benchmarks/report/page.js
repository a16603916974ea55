/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the figures that the page has in it. */
const run = JSON.parse(document.getElementById('data').textContent);
const main = document.querySelector('main');
const MAX_COLUMNS = 7, MAX_OPEN_CELLS = 120, SHOWN_LOSSES = 20, STRONGEST = 4;

/* Elements and words: whatever comes from the figures becomes text, never markup. */
const plain = text => String(text).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '?');
function el(name, ...parts) {
  const [tag, ...classes] = name.split('.');
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(' ');
  for (const part of parts.flat(9)) {
    if (part instanceof Node) node.append(part);
    else if (part !== null && typeof part === 'object') {
      for (const [key, value] of Object.entries(part)) {
        if (key.startsWith('--')) node.style.setProperty(key, value);
        else node.setAttribute(key, plain(value));
      }
    } else if (part !== null && part !== undefined && part !== false) node.append(plain(part));
  }
  return node;
}
/* The head is a line of cells or several lines, the body a list of lines or of bodies. */
const table = (kind, head, rows) => el('div.scroll', el('table.' + kind,
  head && el('thead', head[0].tagName === 'TR' ? head : el('tr', head)),
  rows[0] instanceof Node ? rows : el('tbody', rows.map(row => el('tr', row)))));
const name = (...text) => el('td.name', ...text);
const heads = (names, numbers) => [...names.map(text => el('th.name', text)), ...numbers.map(text => el('th', text))];

function digits(value, most = 3) {
  const size = Math.abs(value);
  if (Number.isNaN(+value)) return '\u2013';
  if (!Number.isFinite(+value)) return 'infinite';
  if (size >= 1e12 || (size > 0 && size < 1e-4)) return (+value).toExponential(2);
  return (+value).toLocaleString('en-US', Number.isInteger(+value) || size >= 99.95
      ? {maximumFractionDigits: 0} : {minimumSignificantDigits: most, maximumSignificantDigits: most});
}
function bytes(value, most) {
  let unit = 0, scaled = +value;
  for (; Math.abs(scaled) >= 1024 && unit < 4; unit++) scaled /= 1024;
  return digits(scaled, most) + ' ' + ['B', 'KiB', 'MiB', 'GiB', 'TiB'][unit];
}
const shown = (one, value) => one === 'bytes' && /^\d+$/.test(value) ? bytes(value) : value;
const figure = (metric, value, most) => (metric.unit === 'bytes' ? bytes : digits)(value, most);
const label = metric => metric.unit ? metric.name + ', ' + metric.unit : metric.name;
const ratio = value => +value >= 99.95 || !Number.isFinite(+value) ? digits(value)
    : (+value).toFixed(+value >= 9.995 ? 1 : +value < 0.0995 ? 3 : 2);
const error = (metric, cell) =>
  Number.isNaN(+cell.half) ? '' : ' \u00b1 ' + figure(metric, +(+cell.half).toPrecision(2), 2);
const estimate = (metric, cell) => [figure(metric, cell.median), el('span.error', error(metric, cell))];

/* Ours against the best other: scores, heat maps, losses. */
const SIGNS = {WON: '\u25b2', LEVEL: '=', LOST: '\u25bc', UNDECIDED: '?'};
function shade(tag, value, ...content) {
  const strength = value === 0 ? -1 : Math.max(-1, Math.min(1, Math.log(value) / Math.log(STRONGEST))) || 0;
  const share = Math.sqrt(Math.abs(strength));
  const kind = (strength > 0 ? '.win' : '.loss') + (share > 0.72 ? '.strong' : '');
  return el(tag + '.shade' + kind, {'--share': share * 100 + '%'}, ...content);
}
/* The columns that say under which conditions; what a line repeats is pale. */
const conditionHeads = names => (names.length ? names : ['']).map(text => el('th.name', text));
function conditionColumns(sheet, names) {
  let last = {};
  return group => {
    let again = true;
    const cells = names.map(one => {
      again &&= group[one] === last[one];
      return el(again ? 'th.name.again' : 'th.name', shown(one, group[one]));
    });
    last = group;
    return names.length ? cells : [el('th.name', 'all')];
  };
}
function heatCell(figures, where, who) {
  const duel = figures.duelAt(where, who), {metric} = figures;
  if (!duel) return el('td.none', '\u2013');
  const text = one => one.name + ' ' + figure(metric, figures.at(where, one).median) + error(metric, figures.at(where, one));
  const title = text(who) + ', best other ' + text({name: duel.other}) + ' (' + label(metric) + ')';
  return shade('td', +duel.ratio, {title}, el('b', SIGNS[duel.outcome] + '\u00a0' + ratio(duel.ratio)), el('small', duel.other));
}
function heatMap(sheet, figures) {
  const {pivot, pivotValues, varying} = figures;
  const ours = figures.contenders.filter(who => who.role === 'OURS');
  const body = some => {
    const columns = conditionColumns(sheet, varying);
    return figures.groups.map(group => [columns(group),
      some.map(who => pivotValues.map(value => heatCell(figures, figures.with(group, value), who)))]);
  };
  const along = who => table('heat', [
    el('tr', conditionHeads(varying), el('th.group', {colspan: pivotValues.length}, who.name)),
    el('tr', conditionHeads(varying).map(() => el('th')), pivotValues.map(value => el('th', pivot + ' ' + value)))
  ], body([who]));
  const heads = [...conditionHeads(varying), ...ours.map(who => el('th.group', who.name))];
  return el('div' + (pivot ? '.wide' : ''), el('h4', figures.title),
    el('div.heats', pivot ? ours.map(along) : table('heat', heads, body(ours))));
}
function duelSection(sheet) {
  const duels = sheet.figures.flatMap(figures => figures.duels.map(duel => ({...duel, figures})));
  if (!duels.length) return [];
  const score = (who, some) => {
    const logs = some.map(duel => Math.log(duel.ratio)).filter(Number.isFinite);
    const mean = Math.exp(logs.reduce((a, b) => a + b, 0) / logs.length);
    const ended = Object.keys(SIGNS).map(outcome => some.filter(duel => duel.outcome === outcome).length);
    return [el('th.name', who), [some.length, ...ended].map(count => el('td', count)), el('td', ratio(mean))];
  };
  const own = Map.groupBy(duels, duel => duel.ours), cells = Map.groupBy(duels, ({figures, conditions}) =>
    sheet.figures.indexOf(figures) + sheet.key(conditions));
  const scores = [...own].map(([who, some]) => score(who, some));
  if (own.size > 1) {
    const best = [...cells.values()].map(some => some.reduce((a, b) => +b.ratio > +a.ratio ? b : a));
    scores.push(score('the best of ours in each', best));
  }
  const losses = duels.filter(duel => duel.outcome === 'LOST').sort((a, b) => a.ratio - b.ratio);
  const lossTable = some => table('figures',
    [el('th', 'ratio'), ...heads(['conditions', 'metric', 'ours', 'best other'], [])],
    some.map(duel => [
      shade('td', +duel.ratio, ratio(duel.ratio)), name(sheet.say(duel.conditions)), name(label(duel.figures.metric)),
      [duel.ours, duel.other].map(who =>
        name(who + ' ', estimate(duel.figures.metric, duel.figures.at(duel.conditions, {name: who}))))]));
  const further = losses.slice(SHOWN_LOSSES);
  return [
    el('h3', 'Ours against the best other'),
    el('p.score', el('b', sheet.score.sentence), '.'),
    table('figures', heads([''], ['cells', 'won', 'level', 'lost', 'undecided', 'geometric mean']), scores),
    el('p.heatkey', [0.25, 0.5, 0.8, 1, 1.25, 2, 4].map(value => shade('span', value, ratio(value))),
      ' Ratio of the medians, ours to the best other, turned so that above 1 ours is better.'
      + ' \u25b2 won, \u25bc lost, = level: 1 is within the 95 % confidence interval of the ratio, ? too few samples.'),
    el('div.heats', sheet.figures.filter(figures => figures.duels.length).map(figures => heatMap(sheet, figures))),
    el('h4', 'Where we lose'),
    losses.length ? lossTable(losses.slice(0, SHOWN_LOSSES)) : el('p', 'Nowhere in what was compared here.'),
    further.length > 0 && el('details', el('summary', further.length + ' further losses, all smaller'), lossTable(further))
  ];
}

/* All figures: medians with their intervals, and every raw sample. */
function figureTable(sheet, figures) {
  const {metric, pivot, pivotValues, groups, varying} = figures;
  const numbers = [...new Set(figures.cells.map(cell => cell.samples.length))];
  const cell = (where, who) => {
    const one = figures.at(where, who);
    if (!one) return el('td.none', '\u2013');
    return el('td', el(one.best && metric.better !== 'NEITHER' ? 'b' : 'span', figure(metric, one.median)),
      el('span.error', error(metric, one)), numbers.length > 1 && el('small', 'n=' + one.samples.length));
  };
  const wide = () => {
    const columns = conditionColumns(sheet, varying);
    return table('figures', [...conditionHeads(varying), ...heads([], figures.contenders.map(one => one.name))],
      groups.map(group => [columns(group), figures.contenders.map(one => cell(group, one))]));
  };
  const tall = () => {
    const titles = pivotValues.map(value => value === null ? label(metric) : pivot + ' ' + value);
    return table('figures', heads([''], titles), groups.map(group => {
      const wheres = pivotValues.map(value => figures.with(group, value));
      const shown = figures.contenders.filter(one => wheres.some(where => figures.at(where, one)));
      return el('tbody',
        el('tr', el('th.group', {colspan: wheres.length + 1}, sheet.say(group, varying) || 'all')),
        shown.map(one => el('tr', el('th.name.' + one.role, one.name), wheres.map(where => cell(where, one)))));
    }));
  };
  const open = metric.compared && figures.conditions.length * figures.contenders.length <= MAX_OPEN_CELLS;
  const samples = figures.cells.map(one =>
    [el('td', sheet.say(one.conditions)), el('td', one.contender.name), el('td', one.samples.join(' '))]);
  return el('details', open ? {open: ''} : {},
    el('summary', el('b', figures.title), !metric.compared && ' \u2013 listed, not compared'),
    numbers.length === 1 && el('p.hint', numbers[0] + (numbers[0] === 1 ? ' sample each.' : ' samples each.')),
    pivot || figures.contenders.length > MAX_COLUMNS ? tall() : wide(),
    el('details.raw', el('summary', 'Every sample'), table('samples', null, samples)));
}

/* Adds look-ups to what the file has as lists. */
function prepare(sheet) {
  sheet.key = where => Object.keys(sheet.values).map(one => where[one] ?? '').join('\u0001');
  sheet.say = (where, some = sheet.varying) =>
    some.filter(one => one in where).map(one => one + ' ' + shown(one, where[one])).join(', ');
  sheet.contenders.forEach(look);
  for (const figures of sheet.figures) {
    const key = (where, id) => sheet.key(where) + '\u0002' + id;
    const index = (list, id) => new Map(list.map(one => [key(one.conditions, id(one)), one]));
    const cells = index(figures.cells, cell => cell.contender.name);
    const duels = index(figures.duels, duel => duel.ours);
    figures.at = (where, who) => cells.get(key(where, who.name));
    figures.duelAt = (where, who) => duels.get(key(where, who.name));
    figures.conditions = [...index(figures.cells, () => '').values()].map(cell => cell.conditions);
    const {pivot} = sheet, there = value => figures.conditions.some(where => where[pivot] === value);
    figures.pivot = pivot;
    figures.pivotValues = pivot ? sheet.values[pivot].filter(there) : [null];
    figures.with = (group, value) => pivot ? {...group, [pivot]: value} : group;
    figures.varying = sheet.varying.filter(one => one !== pivot);
    const groups = figures.conditions.map(({[pivot]: _, ...group}) => group);
    figures.groups = [...new Map(groups.map(group => [sheet.key(group), group])).values()];
    const better = (a, b) => (figures.metric.better === 'LOWER' ? +a.median < +b.median : +a.median > +b.median) ? a : b;
    const rivals = figures.cells.filter(one => one.contender.role !== 'CEILING');
    Map.groupBy(rivals, one => sheet.key(one.conditions)).forEach(some => { some.reduce((a, b) => better(b, a)).best = true; });
  }
}
function contents(sheets) {
  const head = heads(['benchmark'], ['cells compared', 'won', 'level', 'lost', 'undecided']);
  return el('nav', table('figures', head, sheets.map(({benchmark, score: {won, level, lost, undecided}}, i) => {
    const all = won + level + lost + undecided;
    return [el('th.name', el('a', {href: '#b' + i}, benchmark)),
      [all, won, level, lost, undecided].map(count => el('td', all ? count : '\u2013'))];
  })));
}
function section(sheet, i) {
  const hint = 'Medians \u00b1 half of the 95 % confidence interval (Student\u2019s t, around the mean). The best is bold.';
  return el('section', {id: 'b' + i}, el('h2', sheet.benchmark),
    sheet.common && el('p.hint', 'Everywhere: ' + sheet.common + '.'), duelSection(sheet), plotSection(sheet),
    sheet.figures.length > 0 && [el('h3', 'Figures'), el('p.hint', hint)],
    sheet.figures.map(figures => figureTable(sheet, figures)));
}

run.sheets.forEach(prepare);
document.title = run.about.command;
const state = run.complete
  ? ' All that was asked for has been measured' + (run.skipped.length ? ', but for what was skipped (below).' : '.')
  : ' The run ended early: this is what had been measured.';
const titles = {machine: 'Machine', jvm: 'JVM', storage: 'Storage'};
const said = (fact, value) => Array.isArray(value) ? value.join(' ')
  : typeof value === 'number' && fact.endsWith('Bytes') ? bytes(value) : String(value);
const facts = Object.entries(titles).map(([one, title]) => {
  const rows = Object.entries(run.about[one]);
  return rows.length > 0 && el('table.about', el('caption', title),
    el('tbody', rows.map(([fact, value]) => el('tr', el('th', fact), el('td', said(fact, value))))));
});
const skipped = run.skipped.map(({what, why}) => [name(what), name(why)]);
main.replaceChildren(
  el('h1', 'lucene-pread benchmarks'),
  el('p.state' + (run.complete ? '' : '.stopped'), el('b', run.complete ? 'Complete.' : 'INTERRUPTED.'), state),
  el('dl.what', el('dt', 'command'), el('dd', el('code', run.about.command)),
    ['started', 'version'].map(one => [el('dt', one), el('dd', run.about[one])])),
  run.sheets.length ? contents(run.sheets) : el('p.state.stopped', 'Nothing was measured.'),
  el('details', {open: ''}, el('summary', 'Machine, JVM, storage'), el('div.facts', facts)),
  el('div', run.notes.length > 0 && [el('h2', 'Notes'), el('ul', run.notes.map(note => el('li', note)))]),
  el('div', skipped.length > 0 &&
    [el('h2', 'Skipped'), table('skipped', heads(['what', 'why, and what to do about it'], []), skipped)]),
  ...run.sheets.map(section));
