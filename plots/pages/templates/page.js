"use strict";
(() => {
{% for part in ("elements", "colours", "tables", "marks", "frame", "figure", "drawing", "matrix") %}{% include "script/" ~ part ~ ".js" %}

{% endfor %}})();
