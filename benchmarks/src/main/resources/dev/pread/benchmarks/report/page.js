/* SPDX-License-Identifier: Apache-2.0 */
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const main = document.querySelector('main');
const MAX_PLOTS = 64, MAX_COLUMNS = 7, MAX_OPEN_CELLS = 120, SHOWN_LOSSES = 20, STRONGEST = 4;

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
const figure = (metric, value, most) => (metric.unit === 'bytes' ? bytes : digits)(value, most);
const label = metric => metric.unit ? metric.name + ', ' + metric.unit : metric.name;
const ratio = value => +value >= 99.95 || !Number.isFinite(+value) ? digits(value)
    : (+value).toFixed(+value >= 9.995 ? 1 : +value < 0.0995 ? 3 : 2);
const error = (metric, cell) => Number.isNaN(+cell.half) ? '' : ' \u00b1 ' + figure(metric, +(+cell.half).toPrecision(2), 2);
const estimate = (metric, cell) => [figure(metric, cell.median), el('span.error', error(metric, cell))];
const percent = share => (share * 100).toFixed(share < 0.0995 ? 1 : 0) + ' %';

/* Contenders look the same over the whole page: ours strong, others quiet, ceilings grey and dashed. */
const LOOKS = {
  light: {OURS: ['#0060ad', '#c4006e', '#00795b', '#6b3fa0', '#8c5a00'], CEILING: ['#8a8a8a', '#b0b0b0', '#6f6f6f'],
    OTHER: ['#d98a4b', '#7d8f9b', '#b3a24c', '#9b7fb8', '#6fa88b', '#c48b9f', '#8a7a66', '#79a7c9']},
  dark: {OURS: ['#4da6ff', '#ff5cae', '#2fc79d', '#b08cf0', '#e0a83e'], CEILING: ['#8f969c', '#6d747a', '#b4babf'],
    OTHER: ['#c98450', '#8798a5', '#a4954b', '#9179ad', '#67997f', '#b57f92', '#94846f', '#6d97b6']}};
const POINTS = {OURS: ['circle', 'rectRot'], OTHER: ['rect', 'triangle', 'crossRot', 'rectRot', 'star'], CEILING: ['line']};
const DASHES = {OURS: [[], [8, 3]], OTHER: [[], [6, 3], [2, 2.5]], CEILING: [[7, 4], [3, 3], [10, 3, 2, 3]]};
const known = {OURS: [], OTHER: [], CEILING: []};
const dark = matchMedia('(prefers-color-scheme: dark)');
function look({name, role}) {
  if (!known[role].includes(name)) known[role].push(name);
  const index = known[role].indexOf(name), colors = LOOKS[dark.matches ? 'dark' : 'light'][role];
  return {color: colors[index % colors.length], width: {OURS: 2.6, OTHER: 1.5, CEILING: 1.4}[role],
    point: POINTS[role][index % POINTS[role].length],
    dash: DASHES[role][Math.floor(index / (role === 'CEILING' ? 1 : colors.length)) % DASHES[role].length]};
}

/* Plots: Chart.js draws them when they come near the window, and again when the colours change. */
const css = property => getComputedStyle(document.documentElement).getPropertyValue(property).trim();
const plots = new Map(), swatches = [];
function draw(canvas) {
  const one = plots.get(canvas);
  Object.assign(Chart.defaults, {color: css('--soft'), borderColor: css('--grid'), animation: false, maintainAspectRatio: false});
  Object.assign(Chart.defaults.font, {family: getComputedStyle(document.body).fontFamily, size: 11});
  one.chart?.destroy();
  one.chart = new Chart(canvas, one.config());
}
const near = new IntersectionObserver(entries => entries.filter(one => one.isIntersecting).forEach(({target}) => {
  near.unobserve(target);
  draw(target);
}), {rootMargin: '600px'});
function plot(height, description, config) {
  const canvas = el('canvas', {role: 'img', 'aria-label': description});
  plots.set(canvas, {config});
  near.observe(canvas);
  return el('div.plot', {'--height': height + 'px'}, canvas);
}
function legend(contenders) {
  return el('p.legend', contenders.map(who => {
    const {dash, width} = look(who), swatch = el('i' + (dash.length ? '.dashed' : ''), {'--width': width + 'px', '--color': look(who).color});
    swatches.push([swatch, who]);
    return el('span.' + who.role, swatch, who.name);
  }));
}
dark.addEventListener('change', () => {
  plots.forEach((one, canvas) => one.chart && draw(canvas));
  swatches.forEach(([swatch, who]) => swatch.style.setProperty('--color', look(who).color));
});
addEventListener('beforeprint', () => {
  document.querySelectorAll('details:not(.raw)').forEach(one => { one.open = true; });
  plots.forEach((one, canvas) => one.chart || draw(canvas));
});
function whisker({ctx, chartArea: {left, top, right, bottom}}, color, [x, y], [toX, toY]) {
  ctx.save();
  Object.assign(ctx, {strokeStyle: color, lineWidth: 1.2, globalAlpha: 0.75});
  ctx.beginPath();
  ctx.rect(left, top - 4, right - left, bottom - top + 8);
  ctx.clip();
  ctx.beginPath();
  for (const [atX, atY] of [[x, y], [toX, toY]]) {
    ctx.moveTo(atX - (x === toX ? 3 : 0), atY - (x === toX ? 0 : 3));
    ctx.lineTo(atX + (x === toX ? 3 : 0), atY + (x === toX ? 0 : 3));
  }
  ctx.moveTo(x, y);
  ctx.lineTo(toX, toY);
  ctx.stroke();
  ctx.restore();
}
/* A bar for each contender, with its figure and its interval. */
function bars(figures, where, description) {
  const cells = figures.contenders.map(who => ({who, ...figures.at(where, who)})).filter(cell => cell.samples);
  const most = Math.max(...cells.map(cell => +cell.median), 0);
  const short = text => text.length > 19 ? '\u2026' + text.slice(-18) : text;
  return plot(cells.length * 23 + 32, description, () => ({
    type: 'bar',
    data: {labels: cells.map(cell => short(cell.who.name)), datasets: [{data: cells.map(cell => +cell.median),
      backgroundColor: cells.map(cell => look(cell.who).color), borderRadius: 3, barPercentage: 0.88, categoryPercentage: 0.9}]},
    options: {indexAxis: 'y', layout: {padding: {right: 58}},
      scales: {x: {min: 0, suggestedMax: Math.min(most * 1.4, Math.max(...cells.map(cell => +cell.mean + (+cell.half || 0)))), border: {display: false},
          ticks: {maxTicksLimit: 5, maxRotation: 0, callback: value => figure(figures.metric, value, 2)}},
        y: {grid: {display: false},
          ticks: {autoSkip: false, color: cells.map(cell => css(cell.who.role === 'OURS' ? '--ink' : '--soft'))}}},
      plugins: {legend: {display: false}, tooltip: {callbacks: {title: ([item]) => cells[item.dataIndex].who.name,
        label: item => ' ' + figure(figures.metric, item.raw) + error(figures.metric, cells[item.dataIndex])}}}},
    plugins: [{afterDatasetsDraw(chart) {
      const {ctx, scales: {x}} = chart;
      chart.getDatasetMeta(0).data.forEach((bar, i) => {
        const {mean, half, median} = cells[i];
        let end = bar.x;
        if (half > 0) {
          const [low, high] = [mean - half, mean + +half].map(value => Math.max(x.left, x.getPixelForValue(value)));
          whisker(chart, css('--ink'), [low, bar.y], [high, bar.y]);
          end = Math.max(end, Math.min(high, x.right));
        }
        ctx.save();
        Object.assign(ctx, {fillStyle: css('--ink'), textBaseline: 'middle', font: '600 11px ' + Chart.defaults.font.family});
        ctx.fillText(figure(figures.metric, median), end + 6, bar.y + 0.5);
        ctx.restore();
      });
    }}]}));
}
/* Lines of contenders; points may have an interval. */
function lines(series, description, x, title, logarithmic, metric = {}) {
  const ys = series.flatMap(one => one.points.map(point => point.y)), least = Math.min(...ys), most = Math.max(...ys);
  const log = logarithmic || (logarithmic === undefined && least > 0 && most / least > 30);
  const high = Math.max(most, Math.min(most * 1.6, ...[Math.max(...series.flatMap(one => one.points.map(point => point.high ?? 0)))]));
  const lead = value => Math.round(value / 10 ** Math.floor(Math.log10(value) + 1e-9));
  const shown = value => !log || lead(value) === 1 || (most / least < 200 && [2, 5].includes(lead(value)));
  return plot(230, description, () => ({
    type: 'line',
    data: {datasets: series.map(({who, points}) => {
      const {color, width, point, dash} = look(who);
      return {label: who.name, data: points, borderColor: color, backgroundColor: color, borderWidth: width, borderDash: dash, pointStyle: point, clip: 6,
        pointRadius: points.length > 12 ? 0 : points.length === 1 ? 5 : 3, order: {OURS: 0, OTHER: 1, CEILING: 2}[who.role]};
    })},
    options: {interaction: {mode: 'nearest', intersect: false},
      scales: {x: {...x, grid: {display: false}},
        y: {type: log ? 'logarithmic' : 'linear', beginAtZero: !log, suggestedMax: high, border: {display: false},
          title: {display: true, text: title + (log ? ' (logarithmic)' : '')},
          grid: {color: ({tick}) => css(tick && shown(tick.value) ? '--grid' : '--back')},
          ticks: {maxTicksLimit: log ? 40 : 6, autoSkip: !log, callback: value => shown(value) ? figure(metric, value, 2) : ''}}},
      plugins: {legend: {display: false}, tooltip: {callbacks: {title: ([item]) => item && x.title.text + ' ' + (item.raw.at ?? item.raw.x),
        label: item => ' ' + item.dataset.label + ': ' + figure(metric, item.raw.y) + error(metric, item.raw)}}}},
    plugins: [{beforeDatasetsDraw(chart) {
      chart.getSortedVisibleDatasetMetas().forEach(meta => meta.data.forEach((point, i) => {
        const {low, high: top} = meta._dataset.data[i], {y} = chart.scales;
        if (top > low) {
          const bottom = log && low <= 0 ? y.bottom : y.getPixelForValue(low);
          whisker(chart, meta._dataset.borderColor, [point.x, bottom], [point.x, y.getPixelForValue(top)]);
        }
      }));
    }}]}));
}
const axis = (type, title, more) => ({type, title: {display: true, text: title}, ...more});
function pivotLines(sheet, figures, group, description) {
  const series = figures.contenders.map(who => ({who, points: figures.pivotValues.map(value => [value, figures.at(figures.with(group, value), who)])
    .filter(([, cell]) => cell).map(([value, {median, mean, half}]) => ({x: value, y: +median, half, low: mean - half, high: +mean + +half}))}));
  return lines(series.filter(one => one.points.length), description, axis('category', figures.pivot, {labels: figures.pivotValues}), label(figures.metric), undefined, figures.metric);
}
function curveLines(curves, description) {
  const {x, y, scale} = curves[0].axes, percentiles = scale === 'PERCENTILES', log = scale !== 'LINEAR';
  const series = curves.map(({contender, points}) => ({who: contender, points: points
    .map(point => ({at: point.x, x: percentiles ? -Math.log10(1 - point.x / 100) : +point.x, y: +point.y}))
    .filter(point => Number.isFinite(point.x) && Number.isFinite(point.y) && (!log || point.y > 0))}));
  const most = Math.max(...series.flatMap(one => one.points.map(point => point.x)));
  if (!Number.isFinite(most)) return null;
  const nines = n => n === 0 ? '0' : n === 1 ? '90' : '99' + (n > 2 ? '.' + '9'.repeat(n - 2) : '');
  return lines(series, description, axis('linear', x, percentiles ? {min: 0, max: Math.max(1, most),
    afterBuildTicks: scaled => { scaled.ticks = [...Array(Math.floor(most + 1e-9) + 1).keys()].map(value => ({value})); }, ticks: {maxRotation: 0, callback: nines}} : {}), y, log);
}
function gallery(title, pictures, varying, words, open, before) {
  const [shown, rest] = [pictures.slice(0, MAX_PLOTS), pictures.length - MAX_PLOTS];
  // There is a row of small plots for each value of the condition that changes least often.
  const leading = shown.length > 4 && varying.length > 1 ? varying[0] : null;
  const rows = Map.groupBy(shown, ([where]) => leading && where[leading]);
  return shown.length > 0 && el('details', open ? {open: ''} : {}, el('summary', el('b', title)), before,
    [...rows].map(([value, row]) => [leading && el('h5', words({[leading]: value}, [leading])), el('div.plotgrid', row.map(([where, canvas]) =>
      el('figure', el('figcaption', words(where, varying.filter(one => one !== leading))), canvas())))]),
    rest > 0 && el('p', rest + ' further plots are left out: see the tables.'));
}
function plotSection(sheet) {
  const percentiles = sheet.curves.some(curve => curve.axes.scale === 'PERCENTILES');
  const shown = sheet.figures.filter(({metric}) => metric.compared && metric.better !== 'NEITHER' && !(percentiles && /^p[0-9.]+$/.test(metric.name)));
  const galleries = shown.map((figures, i) => {
    const along = figures.pivot && figures.pivotValues.every(value => /^\d+$/.test(value));
    const all = along ? figures.groups : figures.conditions, describe = where => sheet.benchmark + ', ' + figures.title + ': ' + sheet.say(where);
    return gallery(figures.title + (along ? ', by ' + figures.pivot : ''), all.map(where => [where, () => along
      ? pivotLines(sheet, figures, where, describe(where)) : bars(figures, where, describe(where))]),
    sheet.varying.filter(one => !along || one !== figures.pivot), sheet.say, i === 0 || along, along && legend(figures.contenders));
  });
  for (const curves of Map.groupBy(sheet.curves, curve => JSON.stringify(curve.axes)).values()) {
    const {axes} = curves[0], at = Map.groupBy(curves, curve => sheet.key(curve.conditions));
    galleries.push(gallery(axes.name + ': ' + axes.y, sheet.curveConditions.filter(where => at.has(sheet.key(where)))
      .map(where => [where, () => curveLines(at.get(sheet.key(where)), axes.name + ': ' + sheet.say(where))]), sheet.varying, sheet.say, true,
    legend(sheet.contenders.filter(who => curves.some(curve => curve.contender.name === who.name)))));
  }
  return galleries.some(one => one) && [el('h3', 'Plots'), galleries];
}

/* Ours against the best other: scores, heat maps, losses. */
const SIGNS = {WON: '\u25b2', LEVEL: '=', LOST: '\u25bc'};
function shade(tag, value, ...content) {
  const strength = value > 0 ? Math.max(-1, Math.min(1, Math.log(value) / Math.log(STRONGEST))) : value === 0 ? -1 : 0;
  const share = Math.sqrt(Math.abs(strength));
  return el(tag + '.shade.' + (strength > 0 ? 'win' : 'loss') + (share > 0.72 ? '.strong' : ''), {'--share': share * 100 + '%'}, ...content);
}
/* The columns that say under which conditions; what a line repeats is pale. */
function where(sheet, names) {
  let last = {};
  return group => {
    let again = true;
    const cells = names.map(one => {
      again &&= group[one] === last[one];
      return el(again ? 'th.name.again' : 'th.name', sheet.words[one]?.[group[one]]?.[0]);
    });
    last = group;
    return names.length ? cells : [el('th.name', 'all')];
  };
}
const names = list => (list.length ? list : ['']).map(text => el('th.name', text));
function heatMap(sheet, figures) {
  const ours = figures.contenders.filter(who => who.role === 'OURS'), varying = figures.varying;
  const body = some => figures.groups.map(((cells, group) => [cells(group), some.map(who => figures.pivotValues.map(value => {
    const all = figures.with(group, value), duel = figures.duelAt(all, who);
    if (!duel) return el('td.none', '\u2013');
    const text = one => one.name + ' ' + figure(figures.metric, figures.at(all, one).median) + error(figures.metric, figures.at(all, one));
    return shade('td', +duel.ratio, {title: text(who) + ', best other ' + text({name: duel.other}) + ' (' + label(figures.metric) + ')'},
      el('b', SIGNS[duel.outcome] + '\u00a0' + ratio(duel.ratio)), el('small', duel.other));
  }))]).bind(null, where(sheet, varying)));
  const maps = figures.pivot
    ? ours.map(who => table('heat', [el('tr', names(varying), el('th.group', {colspan: figures.pivotValues.length}, who.name)),
      el('tr', names(varying).map(() => el('th')), figures.pivotValues.map(value => el('th', sheet.words[figures.pivot][value][1])))], body([who])))
    : [table('heat', [...names(varying), ...ours.map(who => el('th.group', who.name))], body(ours))];
  return el('div' + (figures.pivot ? '.wide' : ''), el('h4', figures.title), el('div.heats', maps));
}
function duelSection(sheet) {
  const duels = sheet.figures.flatMap(figures => figures.duels.map(duel => ({...duel, ratio: +duel.ratio, figures})));
  if (!duels.length) return [];
  const line = (title, {won, level, lost, mean}) => [el('th.name', title), [won + level + lost, won, level, lost].map(count => el('td', count)), el('td', ratio(mean))];
  const count = (some, outcome) => some.filter(duel => duel.outcome === outcome).length;
  const score = some => ({won: count(some, 'WON'), level: count(some, 'LEVEL'), lost: count(some, 'LOST'), mean: Math.exp(some.map(duel => duel.ratio)
    .filter(value => value > 0 && Number.isFinite(value)).reduce((sum, value, i, all) => sum + Math.log(value) / all.length, 0))});
  const ours = Map.groupBy(duels, duel => duel.ours), losses = duels.filter(duel => duel.outcome === 'LOST').sort((a, b) => a.ratio - b.ratio);
  const lossTable = some => table('figures', heads([], ['ratio']).concat(heads(['conditions', 'metric', 'ours', 'best other'], [])), some.map(({ratio: value, conditions, figures, ...duel}) =>
    [shade('td', value, ratio(value)), name(sheet.say(conditions)), name(label(figures.metric)),
      [duel.ours, duel.other].map(who => name(who + ' ', estimate(figures.metric, figures.at(conditions, {name: who}))))]));
  return [el('h3', 'Ours against the best other'),
    el('p.score', el('b', sheet.score.sentence), '; worst loss: ' + (sheet.worst || 'none') + '. ' + sheet.score.caution),
    table('figures', heads([''], ['cells', 'won', 'level', 'lost', 'geometric mean']),
      [...[...ours].map(([who, some]) => line(who, score(some))), ...(ours.size > 1 ? [line('the best of ours in each', sheet.bestScore)] : [])]),
    el('p.heatkey', [0.25, 0.5, 0.8, 1, 1.25, 2, 4].map(value => shade('span', value, ratio(value))),
      ' Ratio of the medians, ours to the best other, turned so that above 1 ours is better. \u25b2 won, \u25bc lost, = level: the 95 % confidence intervals overlap.'),
    el('div.heats', sheet.figures.filter(figures => figures.duels.length).map(figures => heatMap(sheet, figures))),
    el('h4', 'Where we lose'), losses.length ? lossTable(losses.slice(0, SHOWN_LOSSES)) : el('p', 'Nowhere in what was compared here.'),
    losses.length > SHOWN_LOSSES && el('details', el('summary', losses.length - SHOWN_LOSSES + ' further losses, all smaller'), lossTable(losses.slice(SHOWN_LOSSES)))];
}

/* All figures: medians with their intervals, and every raw sample. */
function figureTable(sheet, figures) {
  const numbers = new Set(figures.cells.map(cell => cell.samples.length)), metric = figures.metric;
  const cell = (all, who) => {
    const one = figures.at(all, who), most = figures.ceilingAt(all);
    if (!one) return el('td.none', '\u2013');
    const small = [numbers.size > 1 && 'n=' + one.samples.length, most && percent(one.median / most.most) + ' of ' + most.of].filter(text => text);
    return el('td', el(one.best && metric.better !== 'NEITHER' ? 'b' : 'span', figure(metric, one.median)), el('span.error', error(metric, one)), small.length > 0 && el('small', small.join(', ')));
  };
  const ceiling = all => (most => el('td.ceiling', most ? [figure(metric, most.most), el('small', most.of)] : '\u2013'))(figures.ceilingAt(all));
  const who = figures.contenders, limited = figures.ceilings.length > 0;
  const open = metric.compared && figures.conditions.length * who.length <= MAX_OPEN_CELLS, columns = where(sheet, figures.varying);
  const shown = figures.pivot || who.length > MAX_COLUMNS
    ? table('figures', heads([''], figures.pivotValues.map(value => value === null ? label(metric) : sheet.words[figures.pivot][value][1])), figures.groups.map(group => {
      const of = figures.pivotValues.map(value => figures.with(group, value));
      return el('tbody', el('tr', el('th.group', {colspan: of.length + 1}, sheet.say(group, figures.varying) || 'all')),
        who.filter(one => of.some(all => figures.at(all, one))).map(one => el('tr', el('th.name.' + one.role, one.name), of.map(all => cell(all, one)))),
        of.some(all => figures.ceilingAt(all)) && el('tr', el('th.name.ceiling', 'ceiling'), of.map(ceiling)));
    }))
    : table('figures', [...names(figures.varying), ...heads([], [...who.map(one => one.name), ...(limited ? ['ceiling'] : [])])],
      figures.groups.map(group => [columns(group), who.map(one => cell(group, one)), limited && ceiling(group)]));
  return el('details', open ? {open: ''} : {}, el('summary', el('b', figures.title), !metric.compared && ' \u2013 listed, not compared'),
    numbers.size === 1 && el('p.hint', [...numbers][0] + ([...numbers][0] === 1 ? ' sample each.' : ' samples each.')), shown,
    el('details.raw', el('summary', 'Every sample'), table('samples', null, figures.cells.map(one => [el('td', sheet.say(one.conditions)), el('td', one.contender), el('td', one.samples.join(' '))]))));
}
function prepare(sheet) {
  sheet.key = all => Object.keys(sheet.words).map(one => all[one] ?? '').join('\u0001');
  sheet.say = (all, some = sheet.varying) => some.filter(one => one in all).map(one => sheet.words[one][all[one]][1]).join(', ');
  sheet.contenders.forEach(look);
  for (const figures of sheet.figures) {
    const index = (list, id) => new Map(list.map(one => [sheet.key(one.conditions) + '\u0002' + id(one), one]));
    const cells = index(figures.cells, cell => cell.contender), duels = index(figures.duels, duel => duel.ours), ceilings = index(figures.ceilings, () => '');
    figures.at = (all, who) => cells.get(sheet.key(all) + '\u0002' + who.name);
    figures.duelAt = (all, who) => duels.get(sheet.key(all) + '\u0002' + who.name);
    figures.ceilingAt = all => ceilings.get(sheet.key(all) + '\u0002')?.ceiling;
    figures.with = (group, value) => figures.pivot ? {...group, [figures.pivot]: value} : group;
    figures.varying = sheet.varying.filter(one => one !== figures.pivot);
    figures.conditions = [...new Map(figures.cells.map(cell => [sheet.key(cell.conditions), cell.conditions])).values()];
  }
}
function showRun(run) {
  run.sheets.forEach(prepare);
  document.title = run.about.command;
  main.replaceChildren(el('h1', 'lucene-pread benchmarks'),
    el('p.state' + (run.complete ? '' : '.stopped'), el('b', run.complete ? 'Complete.' : 'INTERRUPTED.'), !run.complete ? ' The run ended early: this is what had been measured.'
      : ' All that was asked for has been measured' + (run.skipped.length ? ', but for what was skipped (below).' : '.')),
    el('dl.what', el('dt', 'command'), el('dd', el('code', run.about.command)), ['started', 'version'].map(one => [el('dt', one), el('dd', run.about[one])])),
    run.sheets.length ? el('nav', table('figures', heads(['benchmark'], ['cells compared', 'won', 'level', 'lost']).concat(heads(['worst loss'], [])), run.sheets.map(({benchmark, score: {won, level, lost}, worst}, i) =>
      [el('th.name', el('a', {href: '#b' + i}, benchmark)), [won + level + lost, won, level, lost].map(count => el('td', won + level + lost ? count : '\u2013')), name(worst || '\u2013')])))
      : el('p.state.stopped', 'Nothing was measured.'),
    el('details', {open: ''}, el('summary', 'Machine, JVM, storage, settings'), el('div.facts', Object.entries(run.facts).filter(([, facts]) => Object.keys(facts).length)
      .map(([title, facts]) => el('table.about', el('caption', title), el('tbody', Object.entries(facts).map(([fact, value]) => el('tr', el('th', fact), el('td', value)))))))),
    ...(run.notes.length ? [el('h2', 'Notes'), el('ul', run.notes.map(note => el('li', note)))] : []),
    ...(run.skipped.length ? [el('h2', 'Skipped'), table('skipped', heads(['what', 'why, and what to do about it'], []), run.skipped.map(({what, why}) => [name(what), name(why)]))] : []),
    ...run.sheets.map((sheet, i) => el('section', {id: 'b' + i}, el('h2', sheet.benchmark), sheet.common && el('p.hint', 'Everywhere: ' + sheet.common + '.'),
      duelSection(sheet), plotSection(sheet), sheet.figures.length > 0 && [el('h3', 'Figures'), el('p.hint', 'Medians \u00b1 half of the 95 % confidence interval (Student\u2019s t, around the mean).'
        + ' The best is bold. Ceilings: the device where data is read from it, a copy in memory where all is resident.'), sheet.figures.map(figures => figureTable(sheet, figures))])));
}

/* Two runs, B relative to A. */
function showComparison(both) {
  const rows = changes => table('figures', heads(['benchmark, conditions', 'contender', 'metric'], ['A', 'B', 'B/A', '95 % interval', '']), changes.map(({part: {benchmark, metric}, ...change}) =>
    [name(benchmark + (change.where && ': ' + change.where)), name(change.contender.name), name(label(metric)), [change.a, change.b].map(one => el('td', estimate(metric, one))),
      shade('td', metric.better === 'LOWER' ? 1 / change.ratio : metric.better === 'HIGHER' ? +change.ratio : 1, ratio(change.ratio)),
      el('td', Number.isNaN(+change.low) ? '\u2013' : ratio(change.low) + ' to ' + ratio(change.high)), el('td.' + change.verdict.replaceAll(' ', '-'), change.verdict)]));
  const all = both.parts.flatMap(part => part.changes.map(change => ({...change, part})));
  const changed = verdict => all.filter(change => change.verdict === verdict).sort((a, b) => b.size - a.size);
  const only = (which, cells) => cells.length > 0 && el('details', el('summary', 'Only in ' + which + ': ' + cells.length + ' cells'), el('ul', cells.map(cell => el('li', cell))));
  document.title = 'two runs compared';
  main.replaceChildren(el('h1', 'lucene-pread benchmarks: two runs compared'), el('dl.what', both.about.map((about, i) => [el('dt', 'AB'[i]), el('dd', about)])),
    ...both.warnings.map(warning => el('p.state.stopped', warning)), el('p.score', el('b', both.sentence), '.'), el('p.hint', both.caution),
    el('p.hint', 'Ratio of the medians, B to A, with the 95 % confidence interval of Welch\u2019s t-test on logarithms. Fewer than ' + both.minSamples + ' samples are not judged.'),
    ...['worse', 'better'].flatMap(verdict => [el('h2', verdict === 'worse' ? 'Worse in B' : 'Better in B'), changed(verdict).length ? rows(changed(verdict)) : el('p', 'No cell.')]),
    el('h2', 'All cells'), ...both.parts.map(part => el('details', el('summary', el('b', part.title), ` \u2013 ${part.changes.length} cells, `
      + ['worse', 'better'].map(verdict => part.changes.filter(change => change.verdict === verdict).length + ' ' + verdict).join(', ')), rows(part.changes.map(change => ({...change, part}))))),
    el('div', only('A', both.onlyA), only('B', both.onlyB)));
}
data.run ? showRun(data.run) : showComparison(data.comparison);
