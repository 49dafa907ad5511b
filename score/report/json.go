package report

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/exodeck/exodeck/score"
	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// JSON is exo's result file with one more key, "exodeck", which says what the results can be proved with:
//
//	{"results": [{"name", "api", "phase", "passed", "checks", "error", "latency_ms"}], "cluster": {…},
//	 "exodeck": {"schema", "version", "suite", "rules", "recording", "rules_digest", "data"}}
//
// It is laid out as Python's json.dumps(indent=2) does, with a line end. A streamed result has the key "stream" too. Samples
// without an answer on the recording are not among the results but, with "name", "api", "phase", "repeat", "stream" and "detail", under
// "missing" in "exodeck"; whose fault the failed ones are is under "faults" there, as [score.Fault] has it beside the names of the result, and
// what is wrong with ones that passed is under "doubts", with "problems" as there.
// cluster may be nil or empty and is then left out.
func JSON(run score.RunFile, cluster *pyvalue.Dict) ([]byte, error) {
	results, missing, faults, doubts := pyvalue.NewList(), pyvalue.NewList(), pyvalue.NewList(), pyvalue.NewList()
	for _, v := range run.Verdicts {
		if v.Fault != nil {
			fault, err := besideNames(v, v.Fault)
			if err != nil {
				return nil, err
			}
			faults.Append(fault)
		}
		if len(v.Doubts) > 0 {
			doubt, err := besideNames(v, doubtsJSON{v.Doubts})
			if err != nil {
				return nil, err
			}
			doubts.Append(doubt)
		}
		if v.Status == score.Missing {
			missing.Append(missingJSON(v))
		} else {
			results.Append(resultJSON(v))
		}
	}
	proof := pyvalue.DictOf(
		"schema", pyvalue.NewInt(score.Schema),
		"version", pyvalue.Str(run.Version),
		"suite", pyvalue.Str(run.Suite),
		"rules", pyvalue.Str(run.Rules),
		"recording", pyvalue.Str(run.Recording),
		"rules_digest", pyvalue.Str(run.RulesDigest),
		"data", pyvalue.Str(run.Data),
	)
	if missing.Len() > 0 {
		proof.SetStr("missing", missing)
	}
	if faults.Len() > 0 {
		proof.SetStr("faults", faults)
	}
	if doubts.Len() > 0 {
		proof.SetStr("doubts", doubts)
	}
	root := pyvalue.DictOf("results", results)
	if cluster != nil && cluster.Len() > 0 {
		root.SetStr("cluster", cluster)
	}
	root.SetStr("exodeck", proof)
	text, err := pyjson.Encode(root, pyjson.Options{Indent: "  ", EnsureASCII: true, AllowNaN: true})
	if err != nil {
		return nil, err
	}
	return append(text, '\n'), nil
}

func resultJSON(v score.Verdict) *pyvalue.Dict {
	checks := pyvalue.NewDict()
	for _, c := range v.Checks {
		checks.SetStr(c.Name, pyvalue.Bool(c.OK))
	}
	d := pyvalue.DictOf(
		"name", pyvalue.Str(v.Sample),
		"api", pyvalue.Str(v.API),
		"phase", pyvalue.Str(v.Phase),
		"passed", pyvalue.Bool(v.Passed),
		"checks", checks,
		"error", textOrNone(v.Error),
		"latency_ms", pyvalue.Float(tenths(v.LatencyMS)),
	)
	if v.Stream {
		d.SetStr("stream", pyvalue.Bool(true))
	}
	return d
}

func missingJSON(v score.Verdict) *pyvalue.Dict {
	d := namesJSON(v)
	d.SetStr("detail", textOrNone(v.Error))
	return d
}

type doubtsJSON struct {
	Problems []score.Problem `json:"problems"`
}

// besideNames is what there is to say of a verdict, behind what names it.
func besideNames(v score.Verdict, said any) (*pyvalue.Dict, error) {
	text, err := json.Marshal(said)
	if err != nil {
		return nil, fmt.Errorf("writing what is wrong with %s: %w", v.Sample, err)
	}
	value, err := pyjson.Decode(text)
	if err != nil {
		return nil, fmt.Errorf("writing what is wrong with %s: %w", v.Sample, err)
	}
	d := namesJSON(v)
	for name, member := range value.(*pyvalue.Dict).All() {
		if err := d.Set(name, member); err != nil {
			return nil, fmt.Errorf("writing what is wrong with %s: %w", v.Sample, err)
		}
	}
	return d, nil
}

// namesJSON says which verdict is meant.
func namesJSON(v score.Verdict) *pyvalue.Dict {
	return pyvalue.DictOf(
		"name", pyvalue.Str(v.Sample),
		"api", pyvalue.Str(v.API),
		"phase", pyvalue.Str(v.Phase),
		"repeat", pyvalue.NewInt(int64(v.Repeat)),
		"stream", pyvalue.Bool(v.Stream),
	)
}

func textOrNone(s *string) pyvalue.Value {
	if s == nil {
		return pyvalue.None{}
	}
	return pyvalue.Str(*s)
}

// tenths is Python's round(ms, 1): the exact value rounded, ties to even.
func tenths(ms float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(ms, 'f', 1, 64), 64)
	if err != nil {
		return ms // not a number
	}
	return rounded
}
