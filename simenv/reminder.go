package simenv

import (
	"fmt"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// reminderAPI is the phone's list of reminders.
type reminderAPI struct {
	baseAPI
	capacity  int
	reminders *pyvalue.Dict // integer key to {reminder_id, title, description, time, notified}; the world's reminder_id differs from the key
	lastID    int
	text      *reminderText
}

var reminderClass = define(&class{
	name:   "ReminderApi",
	parent: baseClass,
	graded: []string{"reminder_list"},
	shape: record{
		"max_capacity":        isInt,
		"reminder_list":       numbered(record{"reminder_id": isInt, "title": isText, "description": isText, "time": isText, "notified": isBool}.check),
		"reminder_id_counter": isInt,
	},
	build: func(w *World, t tables) api {
		return &reminderAPI{
			baseAPI:   baseAPI{text: baseTexts[w.Language]},
			capacity:  t.int("max_capacity"),
			reminders: t.dict("reminder_list"),
			lastID:    t.int("reminder_id_counter"),
			text:      reminderTexts[w.Language],
		}
	},
	methods: []*Method{
		{Name: "view_reminder_by_title", Params: []Param{str("title")},
			Needs: "device login", run: on((*reminderAPI).viewByTitle)},
		{Name: "add_reminder", Params: []Param{str("title"), str("description"), {Name: "time", Type: "datetime"}},
			Needs: "device login, room in the list", Changes: "reminder_list", run: on((*reminderAPI).add)},
		{Name: "delete_reminder", Params: []Param{integer("reminder_id")},
			Needs: "device login", Changes: "reminder_list", run: on((*reminderAPI).delete)},
		{Name: "view_all_reminders",
			run: on((*reminderAPI).viewAll)},
		{Name: "mark_as_notified", Params: []Param{integer("reminder_id")}, Only: "zh",
			Changes: "reminder_list", run: on((*reminderAPI).markNotified)},
		{Name: "search_reminders", Params: []Param{str("keyword")}, Only: "zh",
			run: on((*reminderAPI).search)},
	},
})

// reminderText holds what ReminderApi says in one language.
type reminderText struct {
	viewLoggedOut, noTitle            string
	addLoggedOut, full, added         string
	deleteLoggedOut, unknown, deleted string
	none                              string
	notified, noSearch                string // Chinese only, as the two methods are
}

var reminderTexts = map[string]*reminderText{
	"en": {
		viewLoggedOut:   "The device is not logged in, so you cannot view notifications",
		noTitle:         "No reminder found with the title '%s'.",
		addLoggedOut:    "Device not logged in. Unable to add a new reminder.",
		full:            "Reminder capacity is full. Unable to add a new reminder.",
		added:           "Reminder '%s' was successfully added.",
		deleteLoggedOut: "Device not logged in. Unable to delete the specified reminder.",
		unknown:         "Reminder ID does not exist.",
		deleted:         "Reminder ID %s was successfully deleted.",
		none:            "No reminders found.",
	},
	"zh": {
		viewLoggedOut:   "device未登录，无法查看提醒",
		noTitle:         "没有找到标题为 '%s' 的提醒",
		addLoggedOut:    "device未登录，无法添加一个新的提醒",
		full:            "提醒容量已满，无法添加新的提醒",
		added:           "提醒 '%s' 已成功添加",
		deleteLoggedOut: "device未登录，无法删除指定的提醒",
		unknown:         "提醒ID不存在",
		deleted:         "提醒ID %s 已成功删除",
		none:            "没有任何提醒",
		notified:        "提醒ID %s 已标记为已通知",
		noSearch:        "没有找到包含该关键词的提醒",
	},
}

func (r *reminderAPI) attribute(string) pyvalue.Value { return r.reminders }

func (r *reminderAPI) viewByTitle(a args) (pyvalue.Value, error) {
	if off(r.loggedIn) {
		return fail(r.text.viewLoggedOut)
	}
	for _, reminder := range r.reminders.All() {
		if pyvalue.Equal(field(reminder, "title"), a[0]) {
			return pyvalue.DictOf("status", pyvalue.Bool(true), "reminder", reminder), nil
		}
	}
	return fail(fmt.Sprintf(r.text.noTitle, pyvalue.String(a[0])))
}

func (r *reminderAPI) add(a args) (pyvalue.Value, error) {
	switch {
	case off(r.loggedIn):
		return fail(r.text.addLoggedOut)
	case r.reminders.Len() >= r.capacity:
		return fail(r.text.full)
	}
	r.lastID++
	id := number(r.lastID)
	reminder := pyvalue.DictOf("reminder_id", id, "title", a[0], "description", a[1], "time", a[2], "notified", pyvalue.Bool(false))
	if err := r.reminders.Set(id, reminder); err != nil {
		return nil, err
	}
	return done(fmt.Sprintf(r.text.added, pyvalue.String(a[0])))
}

// delete goes by the key of the list, not by the field reminder_id.
func (r *reminderAPI) delete(a args) (pyvalue.Value, error) {
	if off(r.loggedIn) {
		return fail(r.text.deleteLoggedOut)
	}
	known, err := r.reminders.Delete(a[0])
	if err != nil {
		return nil, err
	}
	if !known {
		return fail(r.text.unknown)
	}
	return done(fmt.Sprintf(r.text.deleted, pyvalue.String(a[0])))
}

func (r *reminderAPI) viewAll(args) (pyvalue.Value, error) {
	if r.reminders.Len() == 0 {
		return fail(r.text.none)
	}
	var all []pyvalue.Value
	for _, reminder := range r.reminders.All() {
		all = append(all, pyvalue.DictOf(
			"title", field(reminder, "title"),
			"description", field(reminder, "description"),
			"time", field(reminder, "time"),
			"notified", field(reminder, "notified")))
	}
	return listing("reminders", all)
}

func (r *reminderAPI) markNotified(a args) (pyvalue.Value, error) {
	reminder, known, err := r.reminders.Get(a[0])
	if err != nil {
		return nil, err
	}
	if !known {
		return fail(r.text.unknown)
	}
	setField(reminder, "notified", pyvalue.Bool(true))
	return done(fmt.Sprintf(r.text.notified, pyvalue.String(a[0])))
}

// search never finds anything: the reference formats the time of the first match as if it were a datetime, and a time is whatever
// a call or the world stored, so a match always ends in an exception.
func (r *reminderAPI) search(a args) (pyvalue.Value, error) {
	for _, reminder := range r.reminders.All() {
		hit, err := containsFold(field(reminder, "title"), a[0])
		if err == nil && !hit {
			hit, err = containsFold(field(reminder, "description"), a[0])
		}
		if err != nil {
			return nil, err
		}
		if hit {
			return nil, noAttribute(field(reminder, "time"), "strftime")
		}
	}
	return fail(r.text.noSearch)
}
