package simenv

import (
	"fmt"
	"strings"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// messageAPI is the short-message part of the phone.
type messageAPI struct {
	baseAPI
	capacity int
	users    *pyvalue.Dict // name to {user_id, …}
	inbox    *pyvalue.Dict // integer id to {sender_id, receiver_id, message, time}
	lastID   int           // ids are counted up and never used again
	text     *messageText
}

var messageClass = define(&class{
	name:   "MessageApi",
	parent: baseClass,
	graded: []string{"inbox"},
	shape: record{
		"max_capacity":       isInt,
		"user_list":          dictOf(record{"user_id": isText}.check),
		"inbox":              numbered(record{"sender_id": isText, "receiver_id": isText, "message": isText, "time": isTime("2006-01-02")}.check),
		"message_id_counter": isInt,
	},
	build: func(w *World, t tables) api {
		return &messageAPI{
			baseAPI:  baseAPI{text: baseTexts[w.Language]},
			capacity: t.int("max_capacity"),
			users:    t.dict("user_list"),
			inbox:    t.dict("inbox"),
			lastID:   t.int("message_id_counter"),
			text:     messageTexts[w.Language],
		}
	},
	methods: []*Method{
		{Name: "send_message", Params: []Param{str("sender_name"), str("receiver_name"), str("message")},
			Needs: "device login, wifi, room in the inbox", Changes: "inbox", run: on((*messageAPI).send)},
		{Name: "delete_message", Params: []Param{integer("message_id")},
			Needs: "device login", Changes: "inbox", run: on((*messageAPI).delete)},
		{Name: "view_messages_between_users", Params: []Param{str("sender_name"), str("receiver_name")},
			Needs: "device login", run: on((*messageAPI).between)},
		{Name: "search_messages", Params: []Param{str("user_name"), str("keyword")},
			run: on((*messageAPI).search)},
		{Name: "get_all_message_times_with_ids",
			Needs: "device login", run: on((*messageAPI).times)},
		{Name: "get_latest_message_id",
			Needs: "device login", run: on((*messageAPI).latest)},
		{Name: "get_earliest_message_id",
			Needs: "device login", run: on((*messageAPI).earliest)},
	},
})

// messageText holds what MessageApi says in one language.
type messageText struct {
	sendLoggedOut, sendOffline, full, sendUnknown, sent           string
	deleteLoggedOut, deleteUnknown, deleted                       string
	viewLoggedOut, viewUnknownSender, viewUnknownReceiver, noView string
	searchUnknown, noSearch                                       string
	timesLoggedOut                                                string
	latestLoggedOut, latest, earliestLoggedOut, earliest, empty   string
}

var messageTexts = map[string]*messageText{
	"en": {
		sendLoggedOut:       "Device not logged in, unable to send message",
		sendOffline:         "Wi-Fi is turned off, cannot send messages at this time",
		full:                "Inbox capacity is full. You need to ask the user which message to delete.",
		sendUnknown:         "Sender or receiver does not exist",
		sent:                "Message successfully sent to %s.",
		deleteLoggedOut:     "Device not logged in, unable to delete message",
		deleteUnknown:       "Message ID does not exist",
		deleted:             "Message ID %s has been successfully deleted.",
		viewLoggedOut:       "Device not logged in, unable to view message information",
		viewUnknownSender:   "Sender does not exist",
		viewUnknownReceiver: "Receiver does not exist",
		noView:              "No related message records found",
		searchUnknown:       "User does not exist",
		noSearch:            "No messages found containing the keyword",
		timesLoggedOut:      "Device not logged in, unable to retrieve all message times and their corresponding message IDs.",
		latestLoggedOut:     "Device not logged in, unable to retrieve the latest sent message ID.",
		latest:              "The latest message ID is %s",
		earliestLoggedOut:   "Device not logged in, unable to retrieve the earliest sent message ID.",
		earliest:            "The earliest message ID is %s",
		empty:               "No message records found",
	},
	"zh": {
		sendLoggedOut:       "device未登录，无法发送短信",
		sendOffline:         "wifi关闭，此时不能发送信息",
		full:                "内存容量不够了，你需要询问user删除哪一条短信。",
		sendUnknown:         "发送者或接收者不存在",
		sent:                "短信成功发送给%s。",
		deleteLoggedOut:     "device未登录，无法删除短信",
		deleteUnknown:       "短信ID不存在",
		deleted:             "短信ID %s 已成功删除。",
		viewLoggedOut:       "device未登录，无法查看短信信息",
		viewUnknownSender:   "发送者不存在",
		viewUnknownReceiver: "接收者不存在",
		noView:              "没有找到相关的短信记录",
		searchUnknown:       "用户不存在",
		noSearch:            "没有找到包含关键词的短信",
		timesLoggedOut:      "device未登录，获取所有短信的时间以及对应的短信编号。",
		latestLoggedOut:     "device未登录，无法获取最新发送的短信ID。",
		latest:              "最新的短信ID是 %s",
		earliestLoggedOut:   "device未登录，无法获取最早发送的短信ID",
		earliest:            "最早的短信ID是 %s",
		empty:               "短信记录为空",
	},
}

func (m *messageAPI) attribute(string) pyvalue.Value { return m.inbox }

// userID looks a user up by the name a call gave. It fails for a name that Python cannot hash.
func (m *messageAPI) userID(name pyvalue.Value) (id pyvalue.Value, known bool, err error) {
	user, known, err := m.users.Get(name)
	if err != nil || !known {
		return nil, false, err
	}
	return field(user, "user_id"), true, nil
}

// send stores the message without a time. That is the reference's omission: every later look at message times fails.
func (m *messageAPI) send(a args) (pyvalue.Value, error) {
	switch {
	case off(m.loggedIn):
		return fail(m.text.sendLoggedOut)
	case off(m.wifi):
		return fail(m.text.sendOffline)
	case m.inbox.Len() >= m.capacity:
		return fail(m.text.full)
	}
	sender, known, err := m.userID(a[0])
	if err != nil {
		return nil, err
	}
	if !known {
		return fail(m.text.sendUnknown)
	}
	receiver, known, err := m.userID(a[1])
	if err != nil {
		return nil, err
	}
	if !known {
		return fail(m.text.sendUnknown)
	}
	m.lastID++
	message := pyvalue.DictOf("sender_id", sender, "receiver_id", receiver, "message", a[2])
	if err := m.inbox.Set(number(m.lastID), message); err != nil {
		return nil, err
	}
	return done(fmt.Sprintf(m.text.sent, pyvalue.String(a[1])))
}

func (m *messageAPI) delete(a args) (pyvalue.Value, error) {
	if off(m.loggedIn) {
		return fail(m.text.deleteLoggedOut)
	}
	known, err := m.inbox.Delete(a[0])
	if err != nil {
		return nil, err
	}
	if !known {
		return fail(m.text.deleteUnknown)
	}
	return done(fmt.Sprintf(m.text.deleted, pyvalue.String(a[0])))
}

func (m *messageAPI) between(a args) (pyvalue.Value, error) {
	if off(m.loggedIn) {
		return fail(m.text.viewLoggedOut)
	}
	sender, known, err := m.userID(a[0])
	if err != nil {
		return nil, err
	}
	if !known {
		return fail(m.text.viewUnknownSender)
	}
	receiver, known, err := m.userID(a[1])
	if err != nil {
		return nil, err
	}
	if !known {
		return fail(m.text.viewUnknownReceiver)
	}
	var found []pyvalue.Value
	for id, message := range m.inbox.All() {
		if pyvalue.Equal(field(message, "sender_id"), sender) && pyvalue.Equal(field(message, "receiver_id"), receiver) {
			found = append(found, pyvalue.DictOf("id", id, "sender", a[0], "receiver", a[1], "message", field(message, "message")))
		}
	}
	if found == nil {
		return fail(m.text.noView)
	}
	return listing("messages", found)
}

// search looks at a user's own messages only, so a keyword that is no text fails only when there is one. It asks for no login.
func (m *messageAPI) search(a args) (pyvalue.Value, error) {
	user, known, err := m.userID(a[0])
	if err != nil {
		return nil, err
	}
	if !known {
		return fail(m.text.searchUnknown)
	}
	var found []pyvalue.Value
	for id, message := range m.inbox.All() {
		sender, receiver := field(message, "sender_id"), field(message, "receiver_id")
		if !pyvalue.Equal(sender, user) && !pyvalue.Equal(receiver, user) {
			continue
		}
		body := field(message, "message")
		hit, err := containsFold(body, a[1])
		if err != nil {
			return nil, err
		}
		if hit {
			found = append(found, pyvalue.DictOf("id", id, "sender_id", sender, "receiver_id", receiver, "message", body))
		}
	}
	if found == nil {
		return fail(m.text.noSearch)
	}
	return listing("messages", found)
}

func (m *messageAPI) times(args) (pyvalue.Value, error) {
	if off(m.loggedIn) {
		return fail(m.text.timesLoggedOut)
	}
	times := pyvalue.DictOf()
	for id, message := range m.inbox.All() {
		at, err := subscript(message, "time")
		if err != nil {
			return nil, err
		}
		if err := times.Set(id, at); err != nil {
			return nil, err
		}
	}
	return times, nil
}

func (m *messageAPI) latest(args) (pyvalue.Value, error) {
	if off(m.loggedIn) {
		return fail(m.text.latestLoggedOut)
	}
	return m.extreme(m.text.latest, 1)
}

func (m *messageAPI) earliest(args) (pyvalue.Value, error) {
	if off(m.loggedIn) {
		return fail(m.text.earliestLoggedOut)
	}
	return m.extreme(m.text.earliest, -1)
}

// extreme finds the message whose date is the last (order 1) or the first (order -1) one. The first of equal dates wins. Dates
// are written year first, so they compare as text.
func (m *messageAPI) extreme(text string, order int) (pyvalue.Value, error) {
	if m.inbox.Len() == 0 {
		return fail(m.text.empty)
	}
	var best pyvalue.Value
	var date string
	for id, message := range m.inbox.All() {
		at, err := subscript(message, "time")
		if err != nil {
			return nil, err
		}
		if t := pyvalue.String(at); best == nil || strings.Compare(t, date) == order {
			best, date = id, t
		}
	}
	return pyvalue.DictOf("status", pyvalue.Bool(true), "message", pyvalue.Str(fmt.Sprintf(text, pyvalue.String(best))), "message_id", best), nil
}
